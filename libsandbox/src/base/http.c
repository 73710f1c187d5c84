/* http.c - one request by libcurl, which is loaded when the first one is made. */
#include "base/http.h"

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/library.h"

#define CURL_DISABLE_TYPECHECK /* its macros want the functions themselves */
#include <curl/curl.h>
#include <pthread.h>
#include <string.h>

#define CONNECT_MS 15000L
#define STEP_MS 1000

/* Every function of libcurl that ours calls. */
/* clang-format off */
#define LIBCURL(one) \
    one(curl_easy_cleanup) \
    one(curl_easy_getinfo) \
    one(curl_easy_init) \
    one(curl_easy_setopt) \
    one(curl_easy_strerror) \
    one(curl_global_init) \
    one(curl_multi_add_handle) \
    one(curl_multi_cleanup) \
    one(curl_multi_info_read) \
    one(curl_multi_init) \
    one(curl_multi_perform) \
    one(curl_multi_poll) \
    one(curl_multi_remove_handle) \
    one(curl_slist_append) \
    one(curl_slist_free_all)
/* clang-format on */

struct libcurl {
#define MEMBER(name) __typeof__(name) *name;
    LIBCURL(MEMBER)
#undef MEMBER
};

static const struct sbi_function functions[] = {
#define ROW(name) {#name, offsetof(struct libcurl, name)},
    LIBCURL(ROW)
#undef ROW
};

static struct libcurl lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sbx_error why_not;

static void load(void)
{
    if (sbi_library_load(SANDBOX_LIBCURL, functions,
                         sizeof(functions) / sizeof(functions[0]), &lib, &why_not) < 0)
        return;
    if (lib.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        (void)sbi_fail(&why_not, SBX_ERR_INTERNAL, "libcurl does not begin");
}

struct call {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    char said[CURL_ERROR_SIZE];
};

static void call_clear(struct call *call)
{
    if (call->multi != NULL && call->easy != NULL)
        (void)lib.curl_multi_remove_handle(call->multi, call->easy);
    lib.curl_easy_cleanup(call->easy);
    (void)lib.curl_multi_cleanup(call->multi);
    lib.curl_slist_free_all(call->headers);
}

static size_t drop(char *data, size_t size, size_t count, void *userdata)
{
    (void)data;
    (void)userdata;
    return size * count;
}

static bool add_headers(struct call *call, const char *const *headers)
{
    struct curl_slist *longer;
    size_t i;

    /* "Expect:" - a server that does not know it would be waited for. */
    call->headers = lib.curl_slist_append(NULL, "Expect:");
    for (i = 0; headers != NULL && headers[i] != NULL && call->headers != NULL; i++) {
        longer = lib.curl_slist_append(call->headers, headers[i]);
        if (longer == NULL)
            return false;
        call->headers = longer;
    }
    return call->headers != NULL;
}

static bool prepare(struct call *call, const struct sbi_http *request)
{
    CURL *easy = lib.curl_easy_init();
    bool good = easy != NULL;

    call->easy = easy;
    call->multi = lib.curl_multi_init();
    good = good && call->multi != NULL && add_headers(call, request->headers);
    good = good && lib.curl_easy_setopt(easy, CURLOPT_URL, request->url) == CURLE_OK;
    good = good &&
           lib.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
    if (request->ca_file != NULL)
        good = good &&
               lib.curl_easy_setopt(easy, CURLOPT_CAINFO, request->ca_file) == CURLE_OK;
    if (!good)
        return false;
    (void)lib.curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)lib.curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    (void)lib.curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    (void)lib.curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    (void)lib.curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    (void)lib.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->said);
    (void)lib.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    (void)lib.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    (void)lib.curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)request->length);
    (void)lib.curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
    return lib.curl_multi_add_handle(call->multi, easy) == CURLM_OK;
}

static int code_of(CURLcode result)
{
    switch (result) {
    case CURLE_OPERATION_TIMEDOUT:
        return SBX_ERR_TIMEOUT;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return SBX_ERR_HOST_KEY;
    case CURLE_OUT_OF_MEMORY:
        return SBX_ERR_NO_MEMORY;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return SBX_ERR_INVALID;
    default:
        return SBX_ERR_CONNECT;
    }
}

static int end(struct call *call, const struct sbi_http *request, long *status,
               sbx_error *err)
{
    CURLcode result = CURLE_GOT_NOTHING;
    const CURLMsg *message;
    int left;

    while ((message = lib.curl_multi_info_read(call->multi, &left)) != NULL)
        if (message->msg == CURLMSG_DONE)
            result = message->data.result;
    if (result != CURLE_OK)
        return sbi_fail(err, code_of(result), "post to '%.100s': %s", request->url,
                        call->said[0] != '\0' ? call->said
                                              : lib.curl_easy_strerror(result));
    (void)lib.curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, status);
    return SBX_OK;
}

/* The token's descriptor is among those waited for: a cancel is at once. */
static int carry_out(struct call *call, const struct sbi_http *request, sbx_error *err)
{
    struct curl_waitfd extra = {sbi_cancel_fd(request->cancel), CURL_WAIT_POLLIN, 0};
    int running = 1, left;

    for (;;) {
        if (lib.curl_multi_perform(call->multi, &running) != CURLM_OK)
            return sbi_fail(err, SBX_ERR_INTERNAL, "post to '%.100s'", request->url);
        if (running == 0)
            return SBX_OK;
        if (request->cancel != NULL && sbx_cancel_fired(request->cancel))
            return sbi_fail(err, SBX_ERR_CANCELLED, "post to '%.100s': cancelled",
                            request->url);
        left = sbi_left_ms(request->deadline);
        if (left == 0)
            return sbi_fail(err, SBX_ERR_TIMEOUT, "post to '%.100s': no answer came",
                            request->url);
        (void)lib.curl_multi_poll(call->multi, &extra, extra.fd >= 0 ? 1 : 0,
                                  left < 0 || left > STEP_MS ? STEP_MS : left, NULL);
    }
}

int sbi_http_post(const struct sbi_http *request, long *status, sbx_error *err)
{
    SBI_CLEANUP(call_clear) struct call call = {0};
    int rc;

    (void)pthread_once(&once, load);
    if (why_not.code != SBX_OK && err != NULL)
        *err = why_not;
    if (why_not.code != SBX_OK)
        return why_not.code;
    if (!prepare(&call, request))
        return sbi_fail(err, SBX_ERR_INVALID, "post to '%.100s': it cannot be asked",
                        request->url);
    rc = carry_out(&call, request, err);
    return rc == SBX_OK ? end(&call, request, status, err) : rc;
}
