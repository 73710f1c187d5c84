#include "ledger/db_library.h"

#include "base/library.h"

struct sbi_sqlite sbi_sqlite;

static const struct sbi_function functions[] = {
#define SBI_ROW(name) {#name, offsetof(struct sbi_sqlite, name)},
    SBI_SQLITE(SBI_ROW)
#undef SBI_ROW
};

int sbi_sqlite_need(sbx_error *err)
{
    static struct sbi_library library =
        SBI_LIBRARY(SANDBOX_LIBSQLITE3, functions, &sbi_sqlite);

    return sbi_library_need(&library, err);
}
