// clients.mjs v1|v2|v2-auto - a client of the official SDK against the server: what it checks of
// schemas and messages by itself, and every kind of request.
import process from 'node:process';

const kind = process.argv[2];
let checks = 0, failed = 0;
function check(sentence, holds, detail) {
    checks++;
    if (holds) return console.log('ok:', kind + ':', sentence);
    failed++;
    console.log('FAILED:', kind + ':', sentence, '--', JSON.stringify(detail)?.slice(0, 600));
}
const v1 = kind === 'v1';
const { Client } = await import(v1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await import(v1 ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');

const client = new Client({ name: kind, version: '1' }, {
    capabilities: { elicitation: {} },
    ...(kind === 'v2-auto' ? { versionNegotiation: { mode: 'auto' } } : {}),
});
let asked = 0;
const answer = async () => { asked++; return { action: 'accept', content: { confirm: true } }; };
if (v1) {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema, answer);
} else {
    client.setRequestHandler('elicitation/create', answer);
}
const errors = [];
client.onerror = (error) => errors.push(String(error));
const transport = new StdioClientTransport({
    command: process.env.SBX_MCP,
    args: ['--local', '--sandbox', 'local', '-F', 'none'],
    env: process.env, cwd: process.cwd(), stderr: 'ignore',
});
await client.connect(transport);
const pid = transport.pid;
if (!v1)
    check('the version is agreed on', client.getNegotiatedProtocolVersion() === (kind === 'v2-auto' ? '2026-07-28' : '2025-11-25'),
        client.getNegotiatedProtocolVersion());

const { tools } = await client.listTools();
check('the tools are listed', tools.length === 18, tools.map((tool) => tool.name));
let result = await client.callTool({ name: 'exec_bash', arguments: { command: 'echo hi; exit 3' } });
check('a result keeps to its schema', result.structuredContent?.stdout === 'hi\n' && result.structuredContent.exit_code === 3, result);
check('its text is the same', JSON.stringify(JSON.parse(result.content[0].text)) === JSON.stringify(result.structuredContent), result);
for (const [name, args] of [['list_sandboxes', {}], ['get_active_sandbox', {}], ['list_files', { path: '.' }], ['list_jobs', {}],
    ['pick_sandbox', { cpus: 1 }], ['write_file', { path: 'f.txt', content: 'a' }], ['read_file', { path: 'f.txt' }],
    ['edit_file', { path: 'f.txt', old_text: 'a', new_text: 'b' }], ['exec_many', { command: 'true', sandboxes: ['local'] }],
    ['read_output', { output_id: result.structuredContent.output_id }]]) {
    result = await client.callTool({ name, arguments: args });
    check(name + ' keeps to its schema', !result.isError && result.structuredContent, result);
}
result = await client.callTool({ name: 'exec_bash', arguments: { comand: 'x' } });
check('wrong arguments are a result', result.isError && result.content[0].text.includes("'command'"), result);
let error = await client.callTool({ name: 'nothing', arguments: {} }).catch((e) => e);
check('an unknown tool is an error', error.code === -32602, error);

let heard = 0;
await client.callTool({ name: 'exec_bash', arguments: { command: 'sleep 2.5' } },
    ...(v1 ? [undefined, { onprogress: () => heard++ }] : [{ onprogress: () => heard++ }]));
check('progress is heard', heard > 0, heard);
const abort = new AbortController();
setTimeout(() => abort.abort('enough'), 500);
error = await client.callTool({ name: 'exec_bash', arguments: { command: 'sleep 30' } },
    ...(v1 ? [undefined, { signal: abort.signal }] : [{ signal: abort.signal }])).then(() => null, (e) => e);
check('a call is cancelled', error !== null, error);

const { resources } = await client.listResources();
check('resources are listed', resources.some((one) => one.uri === 'sbx://host/local'), resources);
result = await client.readResource({ uri: 'sbx://host/local' });
check('and read', result.contents[0].text.startsWith('local: '), result);
check('templates too', (await client.listResourceTemplates()).resourceTemplates.length === 3);
check('prompts are listed', (await client.listPrompts()).prompts.length === 2);
result = await client.getPrompt({ name: 'why_host_fails', arguments: { symptom: 'slow' } });
check('and got', result.messages[0].content.text.includes('slow'), result);
result = await client.complete({ ref: { type: 'ref/prompt', name: 'why_host_fails' }, argument: { name: 'sandbox', value: 'l' } });
check('names are completed', result.completion.values[0] === 'local', result);

const fs = await import('node:fs');
fs.mkdirSync('from'); fs.mkdirSync('to'); fs.writeFileSync('to/extra', 'x');
for (const name of ['kept', 'a', 'b']) { fs.writeFileSync('from/' + name, 'x'); fs.writeFileSync('to/' + name, 'x'); }
result = await client.callTool({ name: 'sync', arguments: { direction: 'push', local: 'from', remote: process.cwd() + '/to', delete: true } });
check('a person is asked before something is deleted', asked === 1 && !fs.existsSync('to/extra') && fs.existsSync('to/kept'), result);
check('the client had nothing to complain of', errors.length === 0, errors);
await client.close();
const deadline = Date.now() + 3000;
const gone = () => { try { process.kill(pid, 0); return false; } catch { return true; } };
while (!gone() && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20));
check('closed, it is gone', gone());
console.log(`${checks} checks, ${failed} failed`);
process.exit(failed ? 1 : 0);
