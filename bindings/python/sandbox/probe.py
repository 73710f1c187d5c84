"""How busy places are, which one to take, and taking its GPUs: docs/gpus.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Union

from ._native import Cancel, Handle, Options, Record, blocking, encode, flags, milliseconds
from ._native import record, several, take, words
from ._sandbox import ffi, lib
from .errors import ConflictError, InvalidError, NotFoundError, SandboxError
from .hosts import Hosts
from .pool import Pool, at_once
from .session import Session

Size = Union[int, str, None]
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size(given: Size) -> int | None:
    """Bytes: a number, or "20G" as on the command line."""
    if given is None or isinstance(given, int):
        return given
    found = re.fullmatch(r"(\d+)([KMGT]?)(?:i?B)?", given, re.IGNORECASE)
    if not found:
        raise InvalidError(f"no size: '{given}'; write 20G, 512M or a number of bytes")
    return int(found[1]) * UNITS[found[2].upper()]


def probe_raw(handle: Handle, cancel: Cancel | None, **fields: Any) -> Any:
    """A report as C has it."""

    def ask(token: Cancel | None) -> Any:
        options = Options("sbx_probe_opts", cancel=token, **fields)
        free = lib.sbx_probe_report_free
        return take("sbx_probe_report", free, lib.sbx_probe, handle.pointer, options.pointer)

    return blocking(ask, cancel)


def probe(
    session: Session,
    *,
    sample: float | None = None,
    tool_limit: float | None = None,
    timeout: float | None = None,
    folder: str | None = None,
    cancel: Cancel | None = None,
) -> Record:
    """CPUs, memory, disks, GPUs and who holds them; what is not known is None."""
    report = probe_raw(
        session._handle,
        cancel,
        sample_ms=milliseconds(sample),
        tool_limit_ms=milliseconds(tool_limit),
        timeout_ms=milliseconds(timeout),
        folder=folder,
    )
    told: Record = record(lib.sbx_probe_json(report))
    return told


def _c_error(error: SandboxError) -> Any:
    raw = ffi.new("sbx_error *")
    raw.code = error.code or lib.SBX_ERR_INTERNAL
    raw.text = error.text.encode()[:319]
    raw.fix = error.fix.encode()[:135]
    return raw


def _candidate(place: str, told: Any) -> Options:
    fields = {"error": _c_error(told)} if isinstance(told, SandboxError) else {"report": told}
    return Options("sbx_pick_candidate", place=place, **fields)


def need_of(
    gpus: int | None = None,
    vram: Size = None,
    gpu_model: str | None = None,
    cpus: int | None = None,
    memory: Size = None,
    disk: Size = None,
    scheduled: bool = False,
) -> Options:
    """What a job needs, as C takes it."""
    return Options(
        "sbx_pick_need",
        flags=flags(PICK_SCHEDULED=scheduled),
        gpus=gpus,
        vram=size(vram),
        gpu_model=gpu_model,
        cpus=cpus,
        memory=size(memory),
        disk=size(disk),
    )


def pick(
    places: Iterable[str],
    *,
    gpus: int | None = None,
    vram: Size = None,
    gpu_model: str | None = None,
    cpus: int | None = None,
    memory: Size = None,
    disk: Size = None,
    scheduled: bool = False,
    hosts: Hosts | None = None,
    pool: Pool | None = None,
) -> Record:
    """Looks at all places at once: `place` is the one to take, or None; `hosts` say why."""
    kept = pool or Pool(hosts)
    need = need_of(gpus, vram, gpu_model, cpus, memory, disk, scheduled)

    def work(place: str, token: Cancel) -> Any:
        with kept.open(place, cancel=token) as session:
            return probe_raw(session._handle, token)

    found = list(at_once(places, work))
    candidates = [_candidate(place, told) for place, told in found]
    array = ffi.new("sbx_pick_candidate *[]", [one.pointer for one in candidates])
    given = (array, len(candidates), need.pointer)
    result = take("sbx_pick_result", lib.sbx_pick_result_free, lib.sbx_pick, *given)
    told: Record = record(lib.sbx_pick_json(result))
    return told


class Lease:
    """GPUs of a host that are taken, for all its users to see, until it is released."""

    def __init__(self, session: Session, gpus: list[str]) -> None:
        self.session = session
        self.gpus = gpus

    @property
    def place(self) -> str:
        return self.session.place

    @property
    def env(self) -> dict[str, str]:
        """For Session.run: the command sees these GPUs alone."""
        return {"CUDA_VISIBLE_DEVICES": ",".join(self.gpus)}

    def renew(self, seconds: float) -> None:
        """It has so much time from now; ConflictError where it is gone."""
        _ask(self.session, lib.sbx_lease_renew, self.gpus, for_s=int(seconds))

    def release(self) -> None:
        if self.gpus:
            _ask(self.session, lib.sbx_lease_release, self.gpus)
            self.gpus = []

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<Lease on '{self.place}': {', '.join(self.gpus) or 'released'}>"


def _ask(
    session: Session, function: Any, gpus: Sequence[str] | None, **fields: Any
) -> list[Record]:
    kept = None if gpus is None else words(several(gpus, "GPUs"))
    named = () if kept is None else (kept.pointer,)

    def ask(token: Cancel | None) -> Any:
        options = Options("sbx_lease_opts", cancel=token, **fields)
        given = (session.pointer, *named, options.pointer)
        return take("sbx_lease_list", lib.sbx_lease_list_free, function, *given)

    found = blocking(ask)
    place = encode(session.place)
    items = [ffi.addressof(found.items[n]) for n in range(found.count)]
    return [record(lib.sbx_lease_json(place, item)) for item in items]


def leases(session: Session) -> list[Record]:
    """All leases there, those of the dead too."""
    return _ask(session, lib.sbx_lease_all, None)


def lease_on(
    session: Session,
    gpus: Sequence[str],
    *,
    count: int | None = None,
    purpose: str | None = None,
    seconds: float = 3600,
) -> Lease:
    """Takes `count` of the GPUs named, or all, or none: ConflictError says who has them."""
    told = _ask(
        session, lib.sbx_lease_take, gpus, count=count, purpose=purpose, for_s=int(seconds)
    )
    return Lease(session, [one["gpu"] for one in told])


def lease(
    places: Iterable[str],
    *,
    gpus: int = 1,
    purpose: str | None = None,
    seconds: float = 3600,
    hosts: Hosts | None = None,
    **need: Any,
) -> Lease:
    """Picks the best place and takes its GPUs; another where somebody was faster."""
    pool = Pool(hosts)
    picked = pick(places, gpus=gpus, pool=pool, **need)
    for row in picked.hosts:
        if not row["fits"]:
            continue
        try:
            session = pool.open(row["place"])
            return lease_on(session, row["gpus"], count=gpus, purpose=purpose, seconds=seconds)
        except ConflictError:
            continue
    why = [f"{row['place']}: {'; '.join(row['reasons']) or 'taken'}" for row in picked.hosts]
    raise NotFoundError("no place fits: " + " | ".join(why), code=lib.SBX_ERR_NOT_FOUND)
