import { beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { compareSeals, refuseDrift } from '../../src/spec/drift.ts';
import { type SealedExperiment, sealDigest } from '../../src/spec/seal.ts';
import { bindSeal, type SealInput } from '../../src/spec/seal-plan.ts';
import { refusedBy } from '../support/refused-by.ts';
import { mailsExperiment, mailsFiles } from '../support/run.ts';
import { type Sealed, sealedMails, sealsOf } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let recorded: Sealed;

beforeAll(async () => {
  recorded = await sealedMails(await makeFolder());
});

/** Drift as `file or path: what`: of the plan, else of the recorded plan with the candidates as they are now. */
function driftOf(input: SealInput): string[] {
  const bound = bindSeal(recorded.plan, sealDigest(recorded.plan), input.arms);
  const ofPlan = compareSeals(recorded.plan, sealsOf(input).plan).drift;
  const drift = ofPlan.length > 0 ? ofPlan : compareSeals(recorded.final, bound).drift;
  return drift.map((each) => `${each.file ?? each.path}: ${each.what}`);
}

async function changedFiles(changes: Record<string, string | null>): Promise<string[]> {
  return driftOf((await sealedMails(await makeFolder(), changes)).input);
}

function changedSpec(from: string, to: string): Promise<string[]> {
  const text = mailsExperiment.replace(from, () => to);
  expect(text).not.toBe(mailsExperiment);
  return changedFiles({ 'experiment.yaml': text });
}

function changedInput(change: (input: SealInput) => SealInput): string[] {
  return driftOf(change(recorded.input));
}

const source = 'experiment.yaml: its bytes changed after sealing';

describe('compareSeals', () => {
  test('finds no drift in equal files', async () => {
    const fresh = await sealedMails(await makeFolder());
    expect(compareSeals(recorded.plan, fresh.plan)).toEqual({ drift: [], notices: [] });
    expect(compareSeals(recorded.final, fresh.final)).toEqual({ drift: [], notices: [] });
  });

  test.each([
    ['the surface of the baseline', 'rules/old.txt', '3'],
    ['the surface of a candidate', 'rules/new.txt', '11'],
    ['the surface of a control', 'rules/all.txt', '98'],
  ])('names the file of %s', async (_what, file, text) => {
    expect(await changedFiles({ [file]: text })).toContain(
      `${file}: its bytes changed after sealing`,
    );
  });

  test('names a changed host file and a changed case file once each, without what follows from them', async () => {
    const files = mailsFiles();
    expect(await changedFiles({ 'host.mjs': `${files['host.mjs']}\n// more` })).toEqual([
      'host.mjs: its bytes changed after sealing',
    ]);
    const cases = files['cases.jsonl']?.replace('"n":7,', '"n":77,') ?? '';
    expect(await changedFiles({ 'cases.jsonl': cases })).toEqual([
      'cases.jsonl: its bytes changed after sealing',
    ]);
  });

  test('names a comment in the experiment file: its bytes are sealed too', async () => {
    expect(await changedFiles({ 'experiment.yaml': `${mailsExperiment}# nothing\n` })).toEqual([
      source,
    ]);
  });

  const specChanges: [string, string, string, string][] = [
    [
      'a threshold',
      'threshold: 0}',
      'threshold: 0.05}',
      'decision.gates[0].threshold: sealed 0, now 0.05',
    ],
    [
      'the level',
      'budget:',
      'inference: {level: 0.99}\nbudget:',
      'analysis.level: sealed 0.95, now 0.99',
    ],
    ['the repeats', 'measures:', 'repeats: 2\nmeasures:', 'cells.replicates: sealed 1, now 2'],
    [
      'the smallest useful effect',
      'minimumEffect: 0.1',
      'minimumEffect: 0.2',
      'claim.minimumEffect: sealed 0.1, now 0.2',
    ],
    [
      'a direction',
      '{kind: binary, role: primary, direction: higher}',
      '{kind: binary, role: primary, direction: lower}',
      'spec.measures.right.direction: sealed higher, now lower',
    ],
    [
      'a measure',
      'budget:',
      '  extra: {kind: binary, role: reported, direction: lower}\nbudget:',
      'spec.measures.extra: sealed nothing, now a group of members',
    ],
    [
      'a gate',
      'threshold: 0}',
      'threshold: 0}\n  - {gate: power, target: 0.8, atEffect: 0.5, required: false}',
      'decision.gates[1].gate: sealed completeness, now power',
    ],
    [
      'a control bound',
      'expect: {right: {min: 1}}',
      'expect: {right: {min: 0.5}}',
      'spec.controls[0].expect.right.min: sealed 1, now 0.5',
    ],
    ['the budget', 'usd: 5', 'usd: 6', 'limits.budget.usd: sealed 5, now 6'],
    ['a limit', 'wallMs: 5000', 'wallMs: 6000', 'spec.host.limits.wallMs: sealed 5000, now 6000'],
    [
      'the prose of the claim',
      'Use the new rule',
      'Use any rule',
      'claim.decision: sealed Use the new rule, now Use any rule',
    ],
    [
      'the lost share',
      'budget:',
      'loss: {maxLostShare: 0.1}\nbudget:',
      'spec.loss.maxLostShare: sealed 0, now 0.1',
    ],
    [
      'the attempts',
      'budget:',
      'attempts: {max: 2}\nbudget:',
      'limits.maxAttempts: sealed 3, now 2',
    ],
  ];
  test.each(specChanges)('names the field when %s changed', async (_what, from, to, said) => {
    const drift = await changedSpec(from, to);
    expect(drift).toContain(said);
    expect(drift).toContain(source);
  });

  test('names an arm that was renamed', async () => {
    expect(await changedSpec('    new: {', '    newer: {')).toContain(
      'arms[1].id: sealed new, now newer',
    );
  });

  test('names a package tree of an arm and of the host', () => {
    const pin = (tree: string) => ({ name: 'left-pad@1.0.0', tree: digestOf(tree) });
    const withPackage =
      (tree: string) =>
      (input: SealInput): SealInput => {
        const baseline = input.arms['baseline'];
        if (baseline === undefined) throw new Error('there is a baseline');
        return {
          ...input,
          arms: { ...input.arms, baseline: { ...baseline, packages: [pin(tree)] } },
        };
      };
    const before = sealsOf(withPackage('1')(recorded.input)).final;
    const after = sealsOf(withPackage('2')(recorded.input)).final;
    expect(compareSeals(before, after).drift.map(({ path }) => path)).toEqual([
      'arms[0].pins.packages[0]',
    ]);
    expect(compareSeals(before, after).drift[0]).toMatchObject({
      file: 'package:left-pad@1.0.0',
      what: 'its installed files changed after sealing',
    });
    const hosted = changedInput((input) => ({
      ...input,
      evaluator: [...input.evaluator, { path: 'package:x@1.0.0', size: 1, sha256: 'a'.repeat(64) }],
    }));
    expect(hosted).toEqual(['package:x@1.0.0: it was not sealed']);
  });

  test('names a file that vanished from the evaluator and one that moved', () => {
    expect(changedInput((input) => ({ ...input, evaluator: [] }))).toEqual([
      'host.mjs: it was sealed and is missing now',
    ]);
    const moved = changedInput((input) => ({
      ...input,
      evaluator: input.evaluator.map((each) => ({ ...each, path: 'other.mjs' })),
    }));
    expect(moved).toEqual([
      'host.mjs: it was sealed and is missing now',
      'other.mjs: it was not sealed',
    ]);
  });

  test('names a program of the host command that the seal cannot pin', () => {
    expect(changedInput((input) => ({ ...input, hostPrograms: ['python3'] }))).toEqual([
      'unpinned[1]: sealed nothing, now program python3',
    ]);
  });

  test('takes another engine build, version, Node or Unicode for a notice', () => {
    const engine = {
      ...recorded.input.engine,
      version: '9.9.9',
      build: digestOf('another build'),
      nodeMajor: 99,
      unicode: '99',
    };
    const { drift, notices } = compareSeals(
      recorded.final,
      bindSeal(
        sealsOf({ ...recorded.input, engine }).plan,
        sealDigest(recorded.plan),
        recorded.input.arms,
      ),
    );
    expect(drift).toEqual([]);
    expect(notices.map((text) => text.split(':')[0])).toEqual([
      'engine.build',
      'engine.nodeMajor',
      'engine.unicode',
      'engine.version',
    ]);
  });

  test('takes another version of a statistical method, or of the generator, for drift', () => {
    const { engine } = recorded.input;
    const [method = ''] = Object.keys(engine.statistics);
    const statistics = { ...engine.statistics, [method]: 'other' };
    expect(changedInput((input) => ({ ...input, engine: { ...engine, statistics } }))).toEqual([
      `engine.statistics.${method}: sealed ${engine.statistics[method]}, now other`,
    ]);
    const rng = { ...engine.rng, version: 'other' };
    expect(changedInput((input) => ({ ...input, engine: { ...engine, rng } }))).toEqual([
      `engine.rng.version: sealed ${engine.rng.version}, now other`,
    ]);
  });

  test('takes a method that did not exist at sealing for a notice and one that is gone for drift', () => {
    const { engine } = recorded.input;
    const later = { ...engine, statistics: { ...engine.statistics, 'zeta-method': '1' } };
    const fresh = sealsOf({ ...recorded.input, engine: later }).plan;
    expect(compareSeals(recorded.plan, fresh).drift).toEqual([]);
    expect(compareSeals(fresh, recorded.plan).drift.map(({ path }) => path)).toEqual([
      'engine.statistics.zeta-method',
    ]);
  });

  test('names a derived member when nothing else differs, so that no difference passes', () => {
    const forged: SealedExperiment = {
      ...recorded.final,
      digests: { ...recorded.final.digests, design: digestOf('x') },
    };
    expect(compareSeals(recorded.final, forged).drift.map(({ path }) => path)).toEqual([
      'digests.design',
    ]);
  });
});

describe('refuseDrift', () => {
  const progress = { experimentId: 'mails', exposedUnits: 0, reserved: false };

  test('lets equal seals pass', () => {
    expect(refusedBy(() => refuseDrift({ drift: [], notices: ['x'] }, 'plan', progress))).toBe(
      'nothing was refused',
    );
  });

  test('says every change, its place and how to mend it', () => {
    const drift = [
      { path: 'arms[1].materials', file: 'rules/new.txt', what: 'its bytes changed after sealing' },
      { path: 'analysis.level', file: null, what: 'sealed 0.95, now 0.9' },
    ];
    expect(refusedBy(() => refuseDrift({ drift, notices: [] }, 'final', progress))).toBe(
      'seal-drift: The experiment no longer matches its final seal:\n    rules/new.txt: its bytes changed after sealing\n    analysis.level: sealed 0.95, now 0.9 Restore the sealed bytes, record the change with `liftgate amend`, or seal the changed experiment as a new one with `liftgate seal`. No unit is reserved or exposed, so none is lost; the old seal stays in the ledger and is counted.',
    );
  });

  test('says what a new seal would lose', () => {
    const drift = [{ path: 'analysis.level', file: null, what: 'sealed 0.95, now 0.9' }];
    const told = (changes: object) =>
      refusedBy(() => refuseDrift({ drift, notices: [] }, 'final', { ...progress, ...changes }));
    expect(told({ reserved: true })).toContain(
      'give the units back with `liftgate ledger release mails --reason "..."` and seal the changed experiment',
    );
    const exposed = told({ reserved: true, exposedUnits: 12 });
    expect(exposed).toContain(
      'its 12 units are exposed and the error of this measurement is spent',
    );
    expect(exposed).toContain('loses them and every receipt so far');
    expect(exposed).not.toContain('liftgate seal`');
    expect(told({ reserved: true, exposedUnits: 1 })).toContain('its 1 unit is exposed');
  });
});
