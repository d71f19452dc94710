"""The pod fingerprint that topology exporters publish: which pods a topology object already contains (k8stopologyawareschedwg/podfingerprint)."""
import struct

_MASK = 2**64 - 1
_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def _rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & _MASK


def _round(accumulator, lane):
    p1, p2 = _PRIMES[:2]
    return _rotate((accumulator + lane * p2) & _MASK, 31) * p1 & _MASK


def xxhash64(data, seed=0):
    """The 64-bit xxHash of some bytes (github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    p1, p2, p3, p4, p5 = _PRIMES
    position = 0
    if len(data) >= 32:
        lanes = [(seed + p1 + p2) & _MASK, (seed + p2) & _MASK, seed, (seed - p1) & _MASK]
        while position + 32 <= len(data):
            lanes = [_round(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, position))]
            position += 32
        value = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & _MASK
        for lane in lanes:
            value = ((value ^ _round(0, lane)) * p1 + p4) & _MASK
    else:
        value = (seed + p5) & _MASK
    value = (value + len(data)) & _MASK
    while position + 8 <= len(data):
        value = (_rotate(value ^ _round(0, struct.unpack_from("<Q", data, position)[0]), 27) * p1 + p4) & _MASK
        position += 8
    if position + 4 <= len(data):
        value = (_rotate(value ^ struct.unpack_from("<I", data, position)[0] * p1 & _MASK, 23) * p2 + p3) & _MASK
        position += 4
    for byte in data[position:]:
        value = _rotate(value ^ byte * p5 & _MASK, 11) * p1 & _MASK
    value = (value ^ value >> 33) * p2 & _MASK
    value = (value ^ value >> 29) * p3 & _MASK
    return value ^ value >> 32


def fingerprint(pods):
    """Of pairs (namespace, name)."""
    hashes = sorted(xxhash64(name.encode(), xxhash64(namespace.encode())) for namespace, name in pods)
    return f"pfp0v001{xxhash64(b''.join(struct.pack('<Q', h) for h in hashes)):016x}"
