// bridge.mjs SERVER ARG... - a server on standard input and output, behind HTTP for one test:
// prints its port, a process for each session, and ends with its own standard input.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import readline from 'node:readline';

const sessions = new Map();

function open() {
    const child = spawn(process.argv[2], process.argv.slice(3), { stdio: ['pipe', 'pipe', 'inherit'] });
    const session = { child, waiting: new Map(), stream: null };
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        const answer = message.method === undefined && session.waiting.get(message.id);
        if (answer) {
            session.waiting.delete(message.id);
            answer.end(`event: message\ndata: ${line}\n\n`);
            return;
        }
        const [some] = session.waiting.values();
        (some ?? session.stream)?.write(`event: message\ndata: ${line}\n\n`);
    });
    return session;
}

const server = http.createServer(async (request, response) => {
    // What a page in a browser may not do: reach a server of this machine by another name.
    const origin = request.headers.origin;
    const local = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
    if (!local.test(request.headers.host) || (origin && !local.test(origin)))
        return response.writeHead(403).end();
    let session = sessions.get(request.headers['mcp-session-id']);
    if (request.method === 'GET') {
        if (!session)
            return response.writeHead(400).end();
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        session.stream = response;
        return;
    }
    if (request.method === 'DELETE') {
        session?.child.stdin.end();
        return response.writeHead(200).end();
    }
    let body = '';
    for await (const piece of request)
        body += piece;
    const message = JSON.parse(body);
    const headers = { 'Content-Type': 'text/event-stream' };
    if (message.method === 'initialize') {
        const id = randomUUID();
        sessions.set(id, session = open());
        headers['Mcp-Session-Id'] = id;
    }
    if (!session)
        return response.writeHead(400).end();
    if (message.id === undefined || message.method === undefined) {
        session.child.stdin.write(JSON.stringify(message) + '\n');
        return response.writeHead(202).end();
    }
    response.writeHead(200, headers);
    session.waiting.set(message.id, response);
    session.child.stdin.write(JSON.stringify(message) + '\n');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => {
    for (const session of sessions.values())
        session.child.stdin.end();
    process.exit(0);
});
