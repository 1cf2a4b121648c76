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
