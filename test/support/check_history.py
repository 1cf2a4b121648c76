"""Checks keys, signatures and amendments of a ledger with Python's standard library alone: `python3 check_history.py FILE`.

FILE is a bundle or an export. After the chain (check_bundle.py) it follows the signing keys: who introduced, replaced or ended whom, each
ed25519 signature computed here (RFC 8032), each through SSH given to `ssh-keygen -Y verify`, and only counted where there is none; the
signatures of entries, and where a policy wants them; and every amendment, whose two seals differ in what it names and in nothing else.
Exit 0 when all holds, and then what was not looked at; else 1 and what does not hold. It shares no line with Liftgate.
"""
import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from check_bundle import Refused, check_ledger, members, need, record

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover(y, sign):
    need(y < P, "a point is spelt outside the field")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    need((x * x - square) % P == 0 and not (x == 0 and sign), "a point is not on the curve")
    return (P - x if x & 1 != sign else x), y


def add(first, second):
    (a, b), (c, d) = first, second
    product = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + product, P - 2, P) % P, (b * d + a * c) * pow(1 - product, P - 2, P) % P


def times(scalar, point):
    total = (0, 1)
    while scalar:
        total = add(total, point) if scalar & 1 else total
        point, scalar = add(point, point), scalar >> 1
    return total


def point_of(data):
    number = int.from_bytes(data, "little")
    return recover(number & (2**255 - 1), number >> 255)


def signed(public, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    key, base = point_of(public), (recover(4 * pow(5, P - 2, P) % P, 0))
    need(times(8, key) != (0, 1) and s < L, "a key of small order, or a signature of another spelling")
    challenge = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % L
    return times(s, base) == add(point_of(r), times(challenge, key))


def signed_through_ssh(key, message, blob):
    """What ssh-keygen says of a signature of this key in the namespace of Liftgate."""
    with tempfile.TemporaryDirectory() as folder:
        allowed, armoured = (os.path.join(folder, name) for name in ("allowed", "signature"))
        lines = base64.encodebytes(blob).decode()
        for path, text in (
            (allowed, f'signer namespaces="liftgate" {key["type"]} {key["public"]}\n'),
            (armoured, f"-----BEGIN SSH SIGNATURE-----\n{lines}-----END SSH SIGNATURE-----\n"),
        ):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        call = ["ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "signer", "-n", "liftgate", "-s", armoured]
        return subprocess.run(call, input=message, capture_output=True, check=False).returncode == 0


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class History:
    def __init__(self, files):
        self.files, self.keys, self.policies, self.families = files, {}, {}, {}
        self.checked = self.unchecked = self.amended = self.imports = 0

    def hold(self, key, message, signature, what):
        raw = base64.b64decode(signature, validate=True)
        if len(raw) != 64:
            if shutil.which("ssh-keygen") is None:
                self.unchecked += 1
                return
            need(signed_through_ssh(key, message, raw), f"{what}: ssh-keygen does not find the signature good")
            self.checked += 1
            return
        need(key["type"] == "ssh-ed25519" and signed(base64.b64decode(key["public"])[-32:], message, raw), f"{what}: the signature does not hold")
        self.checked += 1

    def key(self, entry):
        body, what = entry["body"], f"key entry {entry['seq']}"
        brought, op, signer = body["key"], body["op"], body["signer"]
        if brought is not None:
            blob = base64.b64decode(brought["public"], validate=True)
            print_ = "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
            need(print_ == body["keyId"] and print_ not in self.keys, f"{what}: another fingerprint, or a key that was there before")
        valid = {name: key for name, key in self.keys.items() if not key["ended"]}
        if op == "add" and signer == body["keyId"]:
            need("key" in brought["scopes"] and not [key for key in valid.values() if "key" in key["scopes"]], f"{what}: it signs for itself")
            by = brought
        else:
            need(signer in valid, f"{what}: its signer is not valid")
            by, own = valid[signer], body["keyId"] if op == "revoke" else body["replaces"]
            within = signer == own and set((brought or {"scopes": []})["scopes"]) <= set(by["scopes"])
            need("key" in by["scopes"] or within, f"{what}: its signer may not sign for it")
        told = {name: body[name] for name in ("keyId", "key", "op", "reason", "replaces")}
        self.hold(by, canonical({**told, "ledger": entry["ledger"], "type": "liftgate/key/v1"}), body["signature"], what)
        ending = body["keyId"] if op == "revoke" else body["replaces"]
        if ending is not None:
            need(ending in self.keys, f"{what}: it ends an unknown key")
            self.keys[ending]["ended"] = True
        if brought is not None:
            self.keys[body["keyId"]] = {**brought, "ended": False}

    def wanted(self, entry):
        """Whether a policy wants an entry signed; numbers of imported entries are not followed."""
        body, kind = entry["body"], entry["kind"]
        if kind == "import":
            return any(self.policies.values())
        if kind in ("reserve", "expose", "outcome"):
            self.families[entry["seq"]] = body.get("family") or self.families.get(body.get("reserve", body.get("expose")))
        if kind == "policy":
            before, self.policies[body["family"]] = self.policies.get(body["family"], False), body["requireSignature"]
            return before or body["requireSignature"]
        about = [body[name] for name in ("reserve", "expose", "outcome") if isinstance(body.get(name), int)]
        family = body.get("family") or (self.families.get(about[0]) if about else None)
        return self.policies.get(family, False)

    def signature(self, entry):
        what, wanted = f"{entry['kind']} entry {entry['seq']}", self.wanted(entry)
        given = entry.get("signature")
        need(given is not None or not wanted, f"{what}: a policy wants it signed")
        if given is not None:
            key = self.keys.get(given["signer"])
            need(key and not key["ended"] and "entry" in key["scopes"], f"{what}: its signer may not sign entries")
            rest = {name: value for name, value in entry.items() if name != "signature"}
            self.hold(key, canonical({**rest, "type": "liftgate/entry/v1"}), given["value"], what)

    def amend(self, entry):
        body, what = entry["body"], f"amend entry {entry['seq']}"
        before, after = (record(self.files["ledger/objects/" + body[name][7:]]) for name in ("from", "to"))
        link = {name: value for name, value in after["amendments"][-1].items() if name != "at"}
        told = {"parent": body["from"], **{name: body[name] for name in ("reason", "changed", "seen")}}
        need(after["previous"] == body["from"] and link == told, f"{what}: its seal says something else")
        need(after["amendments"][:-1] == before["amendments"], f"{what}: its seal has another past")
        bare = [drop(seal, {change["pointer"] for change in body["changed"]}) for seal in (before, after)]
        need(bare[0] == bare[1], f"{what}: the seals differ in more than it names")
        self.amended += 1


def drop(value, pointers, at=""):
    """The value without the members at these places, the chain of amendments aside."""
    if isinstance(value, list):
        return [None if f"{at}/{number}" in pointers else drop(each, pointers, f"{at}/{number}") for number, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    places = {name: f"{at}/" + name.replace("~", "~0").replace("/", "~1") for name in value}
    apart = pointers | {"/previous", "/amendments"}
    return {name: drop(each, pointers, places[name]) for name, each in value.items() if places[name] not in apart}


def main(path):
    files = members(path)
    _, log = check_ledger(files, record(files["bundle.json" if "bundle.json" in files else "export.json"]))
    history = History(files)
    for entry in map(record, log):
        history.signature(entry)
        if entry["kind"] in ("key", "amend"):
            getattr(history, entry["kind"])(entry)
        history.imports += entry["kind"] == "import"
    print(f"{len(history.keys)} keys, {history.checked} signatures hold, {history.unchecked} through SSH not checked, {history.amended} amendments")
    notes = sum(name.startswith("ledger/checkpoints/") for name in files)
    print(f"not looked at: {notes} files of checkpoints, keys and signatures in {history.imports} imported branches, proofs of anchors")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Refused, KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, tarfile.TarError) as error:
        sys.exit(f"refused: {type(error).__name__}: {error}")
