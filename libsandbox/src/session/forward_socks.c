#include "session/forward_socks.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define CONNECT 1
#define V4_GRANTED 0x5a
#define V4_REFUSED 0x5b
#define V5_NO_LOGIN 0
#define V5_NO_METHOD 0xff
#define V5_NO_COMMAND 7
#define V5_NO_ADDRESS 8
#define V5_REFUSED 5

enum { ADDRESS_4 = 1, ADDRESS_NAME = 3, ADDRESS_6 = 4 };

static int port_at(const unsigned char *data)
{
    return data[0] << 8 | data[1];
}

/* A name that is empty, or has a NUL in it, is none. */
static bool take_name(struct sbi_socks *socks, const unsigned char *data, size_t length)
{
    if (length == 0 || length >= sizeof(socks->host) || memchr(data, 0, length) != NULL)
        return false;
    memcpy(socks->host, data, length);
    socks->host[length] = '\0';
    return true;
}

static int refuse(const struct sbi_socks *socks, unsigned char code, unsigned char *reply,
                  size_t *reply_length)
{
    *reply_length = sbi_socks_answer(socks, false, reply);
    if (socks->version == 5)
        reply[1] = code;
    return SBI_SOCKS_REFUSED;
}

/* "\4\1", port, address, the user's name and a NUL; of 4a also a name and a NUL. */
static int step_4(struct sbi_socks *socks, const unsigned char *data, size_t length,
                  size_t *used, unsigned char *reply, size_t *reply_length)
{
    const unsigned char *user_end, *name, *end;
    bool named;

    if (length < 8 || (user_end = memchr(data + 8, 0, length - 8)) == NULL)
        return SBI_SOCKS_MORE;
    if (data[1] != CONNECT)
        return refuse(socks, 0, reply, reply_length);
    socks->port = port_at(data + 2);
    named = data[4] == 0 && data[5] == 0 && data[6] == 0 && data[7] != 0;
    end = user_end;
    if (named) {
        name = user_end + 1;
        end = memchr(name, 0, length - (size_t)(name - data));
        if (end == NULL)
            return SBI_SOCKS_MORE;
        if (!take_name(socks, name, (size_t)(end - name)))
            return refuse(socks, 0, reply, reply_length);
    } else {
        (void)inet_ntop(AF_INET, data + 4, socks->host, sizeof(socks->host));
    }
    *used = (size_t)(end - data) + 1;
    return SBI_SOCKS_ASKED;
}

static int greet_5(struct sbi_socks *socks, const unsigned char *data, size_t length,
                   size_t *used, unsigned char *reply, size_t *reply_length)
{
    bool fits;

    if (length < 2 || length < (size_t)2 + data[1])
        return SBI_SOCKS_MORE;
    fits = memchr(data + 2, V5_NO_LOGIN, data[1]) != NULL;
    *used = (size_t)2 + data[1];
    reply[0] = 5;
    reply[1] = fits ? V5_NO_LOGIN : V5_NO_METHOD;
    *reply_length = 2;
    socks->greeted = true;
    return fits ? SBI_SOCKS_SAY : SBI_SOCKS_REFUSED;
}

/* The length of an address of that type, 0: there is no such type. */
static size_t address_length(const unsigned char *data)
{
    switch (data[3]) {
    case ADDRESS_4:
        return 4;
    case ADDRESS_6:
        return 16;
    case ADDRESS_NAME:
        return (size_t)1 + data[4];
    default:
        return 0;
    }
}

/* "\5\1\0", the address with its type in front, the port. */
static int request_5(struct sbi_socks *socks, const unsigned char *data, size_t length,
                     size_t *used, unsigned char *reply, size_t *reply_length)
{
    size_t size;
    bool taken = true;

    if (length < 5)
        return SBI_SOCKS_MORE;
    size = address_length(data);
    if (size == 0)
        return refuse(socks, V5_NO_ADDRESS, reply, reply_length);
    if (length < 4 + size + 2)
        return SBI_SOCKS_MORE;
    if (data[1] != CONNECT)
        return refuse(socks, V5_NO_COMMAND, reply, reply_length);
    if (data[3] == ADDRESS_NAME)
        taken = take_name(socks, data + 5, size - 1);
    else
        (void)inet_ntop(data[3] == ADDRESS_4 ? AF_INET : AF_INET6, data + 4, socks->host,
                        sizeof(socks->host));
    if (!taken)
        return refuse(socks, V5_NO_ADDRESS, reply, reply_length);
    socks->port = port_at(data + 4 + size);
    *used = 4 + size + 2;
    return SBI_SOCKS_ASKED;
}

int sbi_socks_step(struct sbi_socks *socks, const unsigned char *data, size_t length,
                   size_t *used, unsigned char *reply, size_t *reply_length)
{
    *used = *reply_length = 0;
    if (length == 0)
        return SBI_SOCKS_MORE;
    if (socks->version == 0)
        socks->version = data[0];
    if (socks->version == 4)
        return step_4(socks, data, length, used, reply, reply_length);
    if (socks->version != 5 || data[0] != 5)
        return SBI_SOCKS_REFUSED;
    return socks->greeted ? request_5(socks, data, length, used, reply, reply_length)
                          : greet_5(socks, data, length, used, reply, reply_length);
}

size_t sbi_socks_answer(const struct sbi_socks *socks, bool connected,
                        unsigned char *reply)
{
    memset(reply, 0, SBI_SOCKS_REPLY);
    if (socks->version == 4) {
        reply[1] = connected ? V4_GRANTED : V4_REFUSED;
        return 8;
    }
    reply[0] = 5;
    reply[1] = connected ? 0 : V5_REFUSED;
    reply[3] = ADDRESS_4;
    return SBI_SOCKS_REPLY;
}
