"""Checks a Liftgate bundle with Python's standard library alone: `python3 check_bundle.py FILE [SIZE:HEAD]`.

It recomputes what needs no statistics: the index, the ledger's chain and Merkle root, every object's name, the seals, the manifest of
the run and the outcome that names it; with SIZE:HEAD also that the ledger is the one known from elsewhere. Exit 0 when all holds, else
1 and what does not. It shares no line with Liftgate.
"""
import hashlib
import json
import sys
import tarfile


class Refused(Exception):
    pass


def need(holds, text):
    if not holds:
        raise Refused(text)


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def unique(pairs):
    names = [name for name, _ in pairs]
    need(len(names) == len(set(names)), "a member stands twice in an object")
    return dict(pairs)


def record(data):
    need(data.endswith(b"\n"), "a record does not end with a line feed")
    return json.loads(data.decode("utf-8"), object_pairs_hook=unique)


def merkle(leaves):
    """RFC 9162 2.1.1, written as its definition."""
    if len(leaves) == 0:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + merkle(leaves[:half]) + merkle(leaves[half:])).digest()


def members(path):
    found = {}
    with tarfile.open(path, "r:") as archive:
        for member in archive.getmembers():
            need(member.isreg(), f"{member.name} is no plain file")
            need(member.name not in found, f"{member.name} stands twice")
            found[member.name] = archive.extractfile(member).read()
    return found


def check_index(files):
    index = record(files["bundle.json"])
    need(index["type"] == "liftgate/bundle/v1", "the index is of another type")
    listed = [each["path"] for each in index["files"]]
    need(listed == [name for name in files if name != "bundle.json"], "the index lists other files")
    for each in index["files"]:
        data = files[each["path"]]
        need(each["size"] == len(data) and "sha256:" + each["sha256"] == digest(data), f"{each['path']} differs")
    return index


def check_ledger(files, index):
    log = [files[name] for name in sorted(files) if name.startswith("ledger/log/")]
    previous = None
    entries = []
    for number, data in enumerate(log):
        need(f"ledger/log/{number:08d}.json" in files, f"entry {number} is missing")
        entry = record(data)
        need(entry["seq"] == number and entry["prev"] == previous, f"the chain breaks at entry {number}")
        need(entry["ledger"] == index["ledger"]["id"], f"entry {number} is of another ledger")
        previous = digest(data)
        entries.append((previous, entry, data))
    for name, data in files.items():
        if name.startswith("ledger/objects/"):
            need(digest(data) == "sha256:" + name.rsplit("/", 1)[1], f"{name} has other bytes")
    root = "sha256:" + merkle(log).hex()
    facts = {"id": index["ledger"]["id"], "entries": len(log), "head": previous, "root": root}
    need(facts == index["ledger"], "the index has another size, head or root")
    return known(files, entries), log


def branch_of(files, entries, body):
    """The entries of an imported branch, held to what the import says of it."""
    fork = body["forkSeq"]
    need(entries[fork - 1][0] == body["forkId"], "a branch begins elsewhere")
    lines = files["ledger/objects/" + body["entriesObject"][7:]].splitlines(keepends=True)
    whole = list(entries[:fork])
    for data in lines:
        entry = record(data)
        need(entry["seq"] == len(whole) and entry["prev"] == whole[-1][0], "the chain of a branch breaks")
        whole.append((digest(data), entry, data))
    need(len(whole) == body["size"] and whole[-1][0] == body["head"], "a branch has another end")
    need("sha256:" + merkle([data for _, _, data in whole]).hex() == body["root"], "a branch has another root")
    return whole


def known(files, entries):
    """Every entry by its digest, imported ones too, with the digests of the entries its body refers to by number."""
    numbers, found, imported = {}, {}, 90000000
    for at, (identity, entry, _) in enumerate(entries):
        body = entry["body"]
        refers = {name: numbers.get(body[name]) for name in ("reserve", "expose", "outcome") if isinstance(body.get(name), int)}
        numbers[entry["seq"]] = identity
        found[identity] = (entry, refers)
        if entry["kind"] == "import":
            for other, value in known(files, branch_of(files, entries[:at], body)).items():
                if other not in found:
                    numbers[imported], found[other] = other, value
                    imported += 1
    return found


def check_run(files, entries, index):
    manifest = record(files["run/manifest.json"])
    for each in manifest["files"]:
        need(digest(files["run/" + each["path"]]) == "sha256:" + each["sha256"], f"run/{each['path']} differs")
    seal = files["run/seal.json"]
    plan = files["run/plan.json"]
    need(digest(seal) == manifest["seal"] == index["seal"], "the seal is not the one of the manifest")
    need(record(seal)["plan"] == digest(plan), "the seal names another plan")
    for data in (seal, plan):
        need(files["ledger/objects/" + digest(data)[7:]] == data, "a seal is not in the ledger")
    exposed = [name for name, (each, _) in entries.items() if each["kind"] == "expose" and each["body"]["seal"] == digest(seal)]
    need(len(exposed) == 1, "the ledger does not expose this seal once")
    outcomes = [name for name, (each, of) in entries.items() if each["kind"] == "outcome" and of["expose"] == exposed[0]]
    need(len(outcomes) == 1, "the ledger holds no outcome of this run")
    body = entries[outcomes[0]][0]["body"]
    need(body["manifestDigest"] == digest(files["run/manifest.json"]) == index["manifest"], "the outcome names another manifest")
    need(body["resultDigest"] == digest(files["run/decision.json"]), "the outcome names another decision")
    need(not [each for each, of in entries.values() if each["kind"] == "void" and of["outcome"] == outcomes[0]], "the outcome was voided")
    return body["verdict"]


def main(path, pin=None):
    files = members(path)
    index = check_index(files)
    entries, log = check_ledger(files, index)
    verdict = check_run(files, entries, index)
    if pin is not None:
        size, head = pin.split(":", 1)
        need(int(size) <= len(log) and digest(log[int(size) - 1]) == head, "the ledger is not the one of the pin")
    print(f"{index['experimentId']}: {verdict}; seal {index['seal']}")
    print(f"{len(log)} entries, head {index['ledger']['head']}, root {index['ledger']['root']}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Refused, KeyError, ValueError, TypeError, AttributeError, OSError, tarfile.TarError) as error:
        sys.exit(f"refused: {type(error).__name__}: {error}")
