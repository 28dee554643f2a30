"""What of our environment a process of ours gets: no key, no token, nothing of service managers."""

from collections.abc import Mapping

_NAMES = frozenset(
    {
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV",
        "XDG_CACHE_HOME",
    }
)  # fmt: skip
_FAMILIES = (
    "LC_", "PYTHON", "LD_", "DYLD_",  # where Python and libraries are
    "OMP_", "KMP_", "GOMP_", "MKL_", "OPENBLAS_", "BLIS_", "VECLIB_", "NUMEXPR_",  # how they count
    "GGML_", "LLAMA_", "CUDA_", "HIP_", "HSA_", "ROCR_", "VK_", "SYCL_", "ONEAPI_",  # on what
    "MALLOC_", "GLIBC_",
)  # fmt: skip
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of `environ` that a model or parser of ours may need."""
    return {name: value for name, value in environ.items() if _is_needed(name)}


def _is_needed(name: str) -> bool:
    if any(word in name for word in _SECRET):
        return False
    return name in _NAMES or name.startswith(_FAMILIES)
