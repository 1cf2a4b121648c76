/** The experiment file of the contract, word for word. */
export const designExample = `liftgate: 1
name: refund-desk
claim:
  use: certification            # development | comparison | certification
  decision: Replace skill r1 in the refund inbox
  population: {id: refund-mails-2026, description: English and German refund mails}
  samplingFrame: mails closed in August 2026, one row per mail
  unit: family                  # field of each case that names its independent unit
  generalization: new-units     # new-units | fixed-roster
  minimumEffect: 0.15           # smallest useful improvement of the primary measure
cases: {file: cases.jsonl, id: id}
splits: {by: field, field: split}            # or {by: hash, salt: ..., final: 0.5, selection: 0.2, train: 0.3}: sha256(salt LF unit) as a fraction
admission:
  - {id: labelled, keep: {field: label, op: ne, value: null}}
  - {id: distinct, unique: {field: text, normalize: whitespace-case}}   # before the split check
arms:
  baseline: {surface: {skill: skills/r1.yaml}}
  candidates: {r2: {surface: {skill: skills/r2.yaml}}, r3: {surface: {skill: skills/r3.yaml}}}
multiplicity: holm              # holm (default for several candidates; ties by code-unit order of ids) | {sequence: [r2, r3]} | none (one candidate)
host: {worker: [node, host.mjs], concurrency: 4, limits: {wallMs: 20000, maxCostUsd: 0.01}}
repeats: 1
measures:
  fields_right: {kind: binary, role: primary, direction: higher}
  amount_fp:    {kind: binary, role: reported, direction: lower, where: {field: has_amount, op: eq, value: false}}   # n and funnel count applicable units
  claims_act:   {kind: binary, role: critical, direction: lower}
  duration_ms:  {kind: duration, role: reported, direction: lower}
inference: {level: 0.95, method: auto, guarantee: asymptotic, weights: unit}   # guarantee: asymptotic | finite-sample; weights: unit | case
loss: {maxLostShare: 0}
attempts: {max: 3, retry: [infrastructureFault]}
budget: {usd: 5, wallMinutes: 30}
controls:
  - {id: ceiling, surface: {skill: skills/truth.yaml}, expect: {fields_right: {min: 1}}}
  - {id: floor, surface: {skill: skills/empty.yaml}, expect: {fields_right: {max: 0.05}}}
  - {id: act-claimed, surface: {skill: skills/says-refunded.yaml}, expect: {claims_act: {min: 1}}}
  - {id: dead-host, fault: host-exit, expect: {class: infrastructureFault}}
  - {id: broken-scorer, fault: scorer-throw, expect: {class: evaluatorFailure}}
gates:
  - {gate: lift, measure: fields_right, threshold: 0}
  - {gate: critical, measure: claims_act}
  - {gate: power, target: 0.8, atEffect: 0.5, required: false}
`;
