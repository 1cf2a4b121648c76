/**
 * The process in which the code of a custom gate runs: started by `gate-runner`, told everything on standard input, good for one
 * question. It imports nothing of the engine. Node's permission model leaves it no file but this program, no child and no thread; the
 * code itself runs in a context of its own with the language and nothing else: no clock, no chance, no modules but those it came with.
 */
import { createContext, runInContext, SourceTextModule, SyntheticModule } from 'node:vm';

interface Request {
  readonly module: string;
  readonly files: Readonly<Record<string, string>>;
  /** Canonical JSON; null only loads the gate. */
  readonly input: string | null;
  /** The process stops the code by itself: whoever started it may be gone. */
  readonly timeLimitMs: number;
}

type Report = {
  readonly kind: 'loaded' | 'answer' | 'threw' | 'malformed';
  readonly text: string;
  /** Of code that threw while it was loaded: its stack, which names places of its files. */
  readonly stack?: string;
  /** Of code that is no module: what the engine says of it, for whoever only loads it. */
  readonly syntax?: unknown;
};

/** Entry point that a gate may import; its one function is made in the context, so that nothing of this process leaks. */
const entryPoint = 'liftgate/gate';

/** Runs in the context before any code of the gate: takes away what is not reproducible and keeps what asks the gate. */
const prelude = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, getPrototypeOf, getOwnPropertyDescriptor, keys, prototype } = Object;
  const { ownKeys, apply } = Reflect;
  const finite = Number.isFinite;
  const plain = Object.prototype;
  const says = String;
  const wrong = TypeError;
  for (const name of ['Date', 'Intl', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'console'])
    delete globalThis[name];
  Math.random = () => { throw new wrong('a gate has no chance: the same input gives the same answer'); };
  const deepFreeze = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const names = keys(value);
    for (let at = 0; at < names.length; at += 1) deepFreeze(value[names[at]]);
    return freeze(value);
  };
  const read = (answer) => {
    if (typeof answer !== 'object' || answer === null) return [false, 'the answer is ' + (answer === null ? 'null' : 'a ' + typeof answer) + ', not an object'];
    const from = getPrototypeOf(answer);
    if (from !== plain && from !== null) return [false, 'the answer is no plain object (a promise, a list, an instance of a class)'];
    const names = ownKeys(answer);
    let text = '{';
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at];
      if (typeof name !== 'string') return [false, 'the answer has a member that is named by a symbol'];
      const member = getOwnPropertyDescriptor(answer, name);
      if (member === undefined || !('value' in member)) return [false, name + ' is computed when it is read'];
      const { value } = member;
      if (value === undefined) continue;
      if (typeof value === 'number' && !finite(value)) return [false, name + ' is ' + value + ', no finite number'];
      if (typeof value !== 'string' && typeof value !== 'number' && value !== null) return [false, name + ' is neither text nor number'];
      text += (text === '{' ? '' : ',') + stringify(name) + ':' + stringify(value);
    }
    return [true, text + '}'];
  };
  return {
    defineGate: (decide) => {
      if (typeof decide !== 'function') throw new wrong('defineGate takes a function');
      return freeze({ type: 'liftgate/gate/v1', decide });
    },
    decideOf: (gate) => {
      if (typeof gate !== 'object' || gate === null) return null;
      const [type, decide] = ['type', 'decide'].map((name) => getOwnPropertyDescriptor(gate, name)?.value);
      return type === 'liftgate/gate/v1' && typeof decide === 'function' ? decide : null;
    },
    asking: (decide, input) => () => read(apply(decide, undefined, [deepFreeze(parse(input))])),
    told: (thrown) => {
      try {
        return typeof thrown === 'object' && thrown !== null ? says(thrown.message) : says(thrown);
      } catch { return 'something that cannot be told'; }
    },
    stackOf: (thrown) => {
      try {
        return typeof thrown === 'object' && thrown !== null && typeof thrown.stack === 'string' ? says(thrown.stack) : '';
      } catch { return ''; }
    },
  };
})()`;

interface Prelude {
  readonly defineGate: unknown;
  readonly decideOf: (gate: unknown) => unknown;
  readonly asking: (decide: unknown, input: string) => () => readonly [boolean, string];
  readonly told: (thrown: unknown) => string;
  readonly stackOf: (thrown: unknown) => string;
}

/** Path of what a module imports by a relative specifier; null for any other. */
function pathOf(specifier: string, from: string): string | null {
  if (!/^\.\.?\//.test(specifier)) return null;
  const steps = from.split('/').slice(0, -1);
  for (const step of specifier.split('/')) {
    if (step === '..') {
      if (steps.length === 0) return null;
      steps.pop();
    } else if (step !== '.') steps.push(step);
  }
  return steps.join('/');
}

async function report({ module, files, input, timeLimitMs: timeout }: Request): Promise<Report> {
  const sandbox: Record<string, unknown> = Object.create(null);
  const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });
  const tools = runInContext(prelude, context) as Prelude;
  const modules = new Map<string, SourceTextModule>();
  let isCompiled = true;
  const moduleAt = (path: string): SourceTextModule | null => {
    const source = Object.hasOwn(files, path) ? files[path] : undefined;
    if (source === undefined) return null;
    const known = modules.get(path);
    if (known !== undefined) return known;
    isCompiled = false;
    const made = new SourceTextModule(source, {
      context,
      identifier: path,
      // A text, not an error: whatever is thrown here reaches the gate, and an error of this process would lead out of its context.
      importModuleDynamically: () => {
        throw 'a gate imports at its top only';
      },
    });
    isCompiled = true;
    modules.set(path, made);
    return made;
  };
  const entry = new SyntheticModule(
    ['defineGate'],
    () => entry.setExport('defineGate', tools.defineGate),
    { context, identifier: entryPoint },
  );
  try {
    const main = moduleAt(module);
    if (main === null) return { kind: 'malformed', text: `there is no ${module}` };
    await main.link((specifier, { identifier }) => {
      const path = pathOf(specifier, identifier);
      const found = specifier === entryPoint ? entry : path === null ? null : moduleAt(path);
      if (found !== null) return found;
      throw new Error(
        `${identifier} imports "${specifier}"; a gate imports ${entryPoint} and the files it names`,
      );
    });
    await main.evaluate({ timeout });
    const exported = 'default' in main.namespace ? main.namespace.default : undefined;
    const decide = tools.decideOf(exported);
    if (decide === null)
      return { kind: 'malformed', text: `the default export of ${module} is no defineGate(...)` };
    if (input === null) return { kind: 'loaded', text: '' };
    sandbox['asked'] = tools.asking(decide, input);
    const [isPlain, text] = runInContext('asked()', context, { timeout }) as ReturnType<
      ReturnType<Prelude['asking']>
    >;
    return { kind: isPlain ? 'answer' : 'malformed', text };
  } catch (thrown) {
    const told = { kind: 'threw', text: tools.told(thrown).toWellFormed().slice(0, 1000) } as const;
    if (input !== null) return told;
    return isCompiled
      ? { ...told, stack: tools.stackOf(thrown).toWellFormed().slice(0, 4000) }
      : { ...told, syntax: thrown };
  }
}

const chunks: Buffer[] = [];
process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk));
process.stdin.on('end', async () => {
  const request = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request;
  const { syntax, ...found } = await report(request);
  process.stdout.write(`${JSON.stringify(found)}\n`, () => {
    // Only an error that nobody catches is printed with its place, which whoever loads the code reads from standard error.
    if (syntax !== undefined) throw syntax;
  });
});
