import hashlib, json, os, re, sys, time
from datetime import datetime, timezone

def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

def read_price(request):  # the agent: yours is called here
    if request.get("fault") == "agent-throw":
        raise RuntimeError("told to throw")
    pattern = json.loads(request["surface"]["components"]["rule"]["text"])["pattern"]
    if pattern is None:
        return 999
    found = re.search(pattern, request["input"]["note"])
    return float(found.group().replace(",", ".")) if found else None

def execute(request):
    started_at, start = now(), time.perf_counter()
    components = {name: digest(part["text"]) for name, part in request["surface"]["components"].items()}
    try:
        artifact = {"mediaType": "application/json", "inline": {"price": read_price(request)}}
        result = {"outcome": "completed", "fault": None, "artifact": artifact}
    except Exception as error:
        fault = {"code": "agentCrash", "phase": "agent", "detail": str(error)}
        result = {"outcome": "agentError", "fault": fault, "artifact": None}
    active_ms = max(0.001, (time.perf_counter() - start) * 1000)
    return {
        **result,
        "inputDigest": digest(canonical(request["input"])),
        "surfaceLoadedDigest": digest(canonical({"kind": "bundle", "components": components})),
        "usage": {"costUsd": 0, "costKnown": True, "costSource": "declared"},
        "timing": {"startedAt": started_at, "endedAt": now(), "activeMs": active_ms},
    }

def grade(request):  # the scorer: one number per measure
    if request.get("fault") == "scorer-throw":
        return {"outcome": "evaluatorFailure", "fault": {"code": "graderCrash", "phase": "grade"}, "critical": None}
    price = request["artifact"]["inline"]["price"]
    scores = {"right": int(price == request["expected"]["price"]), "invented": int(price == 999)}
    return {"outcome": "completed", "scores": scores, "critical": [{"id": "invented"}] if price == 999 else []}

def send(message):
    print(json.dumps(message), flush=True)

send({"kind": "hello", "protocols": ["cell/1"], "host": {"name": "prices", "version": "1"}, "supports": ["execute", "grade"]})
for line in sys.stdin:
    request = json.loads(line)
    if request.get("fault") == "host-exit":
        os._exit(3)
    if request["kind"] in ("execute", "grade"):
        echo = {key: request[key] for key in ("kind", "cellKey", "attempt", "experimentDigest")}
        send({"protocol": "receipt/1", **echo, **(execute if request["kind"] == "execute" else grade)(request)})
