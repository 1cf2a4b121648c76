/** What of a module can stand for itself before the module is loaded, read from its source as it is formatted here. */
import { readFileSync } from 'node:fs';

/** Names of a module's functions; these can stand for themselves until the module is loaded. */
export function functionsOf(path) {
  const declared = readFileSync(path, 'utf8').matchAll(/^export (?:async )?function (\w+)/gm);
  return [...declared].map(([, name]) => name);
}

/** Declarations of a module's constants that are numbers or words; whoever needs one needs no more of the module. */
export function constantsOf(path) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^export const (\w+) = (?:[\d_.]+|'[^'\\]*');$/gm)];
}

/** Whether a module imports nothing of another one but what can stand for itself. */
export function canWait(importer, id, path) {
  const names = [...functionsOf(path), ...constantsOf(path).map(([, name]) => name)];
  const text = readFileSync(importer, 'utf8');
  const lists = text.matchAll(/^import (?!type )(?:\{([^}]*)\}|[^'{]*) from '([^']+)';$/gm);
  return [...lists]
    .filter(([, , from]) => from === id)
    .every(([, list]) =>
      list
        ?.split(',')
        .map((each) => each.trim().split(' ')[0])
        .every((name) => name === '' || name === 'type' || names.includes(name)),
    );
}

/**
 * A plugin that leaves a module of Node's own to the first call of one of its functions: most files are read at once and few calls start
 * a program, while what does either otherwise brings much along.
 * @param builtin  the module as it is here, whose functions are known by their names
 */
export function loadedWithFirstCall(name, builtin) {
  const later = `\0later:${name}`;
  const functions = Object.keys(builtin).filter((each) => typeof builtin[each] === 'function');
  const stand = (each) => `export const ${each} = (...given) => load().${each}(...given);`;
  // The name stands apart: the bundler would load the module of a written one at once.
  const load = `const load = (name = '${name}') => require(name);`;
  const code = [load, ...functions.map(stand)].join('\n');
  return {
    name: `later ${name}`,
    resolveId: (id) => (id === name ? later : null),
    load: (id) => (id === later ? { code, moduleSideEffects: false } : null),
  };
}
