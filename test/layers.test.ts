import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const layers = [
  'base',
  'stats',
  'spec',
  'ledger',
  'run',
  'analysis',
  'gate',
  'report',
  'verify',
  'interop',
  'store',
  'host',
  'serve',
  'cli',
];
const pure = layers.slice(0, layers.indexOf('store'));
const minimumModules = 60;

/** The one door of each outside package. Shapes are declared with `base/shape`; zod is what tests hold it against. */
const doors: Readonly<Record<string, readonly string[]>> = {
  jstat: ['stats/distribution.ts'],
  seedrandom: ['stats/random.ts'],
  'simple-statistics': ['stats/summary.ts'],
  yaml: ['spec/parse.ts'],
  commander: [
    'cli/program.ts',
    'cli/ledger-program.ts',
    'cli/ledger-branch-program.ts',
    'cli/ledger-upkeep-program.ts',
    'cli/tool-program.ts',
    'cli/subcommand.ts',
  ],
  zod: [],
  pg: ['store/ledger-postgres.ts', 'store/postgres-server.ts'],
  'node:crypto': [
    'base/digest.ts',
    'base/git-proof.ts',
    'base/time-stamp.ts',
    'base/signature.ts',
    'store/ledger-folder.ts',
    'store/randomness.ts',
  ],
};

const source = resolve(import.meta.dirname, '../src');

interface Module {
  readonly path: string;
  readonly imports: readonly string[];
}

function modulesUnder(folder: string): Module[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, imports: importsOf(readFileSync(join(folder, path), 'utf8')) }));
}

function importsOf(text: string): string[] {
  const patterns = [
    /^(?:import|export)\b[^'"]*?from\s+'([^']+)'/gm,
    /^import\s+'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'\s*\)/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

function targetOf(module: Module, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(source, resolve(source, dirname(module.path), specifier)).replaceAll('\\', '/');
}

const modules = modulesUnder(source);
const layerOf = (path: string): number => layers.indexOf(path.split('/')[0] ?? '');

describe('layers', () => {
  test('sees at least the expected number of modules', () => {
    expect(modules.length).toBeGreaterThanOrEqual(minimumModules);
  });

  test('every module lies in a known layer or is the public entry', () => {
    const strays = modules.filter(
      (module) => module.path !== 'index.ts' && layerOf(module.path) < 0,
    );
    expect(strays.map((module) => module.path)).toEqual([]);
  });

  test('imports only from its own folder and to the left', () => {
    const wrong = modules.flatMap((module) =>
      module.imports.flatMap((specifier) => {
        const target = targetOf(module, specifier);
        const forward =
          target !== null && module.path !== 'index.ts' && layerOf(target) > layerOf(module.path);
        return forward ? [`${module.path} -> ${target}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('nothing imports the public entry, and relative imports name existing modules', () => {
    const known = new Set(modules.map((module) => module.path));
    const wrong = modules.flatMap((module) =>
      module.imports.flatMap((specifier) => {
        const target = targetOf(module, specifier);
        return target !== null && (target === 'index.ts' || !known.has(target))
          ? [`${module.path} -> ${specifier}`]
          : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('pure layers import no effect', () => {
    const allowed = new Set(['node:crypto']);
    const wrong = modules
      .filter((module) => pure.includes(module.path.split('/')[0] ?? ''))
      .flatMap((module) =>
        module.imports
          .filter((specifier) => specifier.startsWith('node:') && !allowed.has(specifier))
          .map((specifier) => `${module.path} -> ${specifier}`),
      );
    expect(wrong).toEqual([]);
  });

  test('each outside package has one door', () => {
    const wrong = modules.flatMap((module) =>
      module.imports.flatMap((specifier) => {
        const door = doors[specifier];
        return door !== undefined && !door.includes(module.path)
          ? [`${module.path} -> ${specifier}`]
          : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('has no import cycle', () => {
    const graph = new Map(
      modules.map((module) => [
        module.path,
        module.imports.flatMap((specifier) => targetOf(module, specifier) ?? []),
      ]),
    );
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): string[] => {
      if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' -> ')];
      if (done.has(path)) return [];
      const found = (graph.get(path) ?? []).flatMap((next) => visit(next, [...trail, path]));
      done.add(path);
      return found;
    };
    expect([...graph.keys()].flatMap((path) => visit(path, []))).toEqual([]);
  });

  test('no source file exceeds 350 lines', () => {
    const long = modules
      .map(
        (module) =>
          [
            module.path,
            readFileSync(join(source, module.path), 'utf8').split('\n').length - 1,
          ] as const,
      )
      .filter(([, lines]) => lines > 350);
    expect(long).toEqual([]);
  });
});
