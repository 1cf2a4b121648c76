/**
 * Installed packages a spec pins: found as Node finds them, by walking up the `node_modules` folders, and digested file by file.
 *
 * A pin is `name@version` or `alias=name@version`. The tree covers every file of the package by its path inside it; nested
 * `node_modules` belong to other packages and are left out; symbolic links inside are refused.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { readJson } from '../base/strict-json.ts';
import { type Material, materialOf, treeDigest } from '../spec/seal.ts';
import { isMapping } from '../spec/source.ts';
import type { FileFault } from './named-files.ts';

/** A pinned package as installed. `name` is what the host imports: the alias if there is one. */
export interface InstalledPackage {
  readonly pin: string;
  readonly name: string;
  /** Real path of its folder; never recorded. */
  readonly folder: string;
  readonly tree: Digest;
  readonly materials: readonly Material[];
}

/** An installed package, or why it cannot be used. */
export type PackageReading =
  | { readonly status: 'read'; readonly installed: InstalledPackage }
  | { readonly status: 'refused'; readonly fault: FileFault };

/** Parts of a pin. */
export interface PackagePin {
  /** Folder below `node_modules`: the alias, or the name. */
  readonly installedAs: string;
  readonly name: string;
  readonly version: string;
}

/**
 * Splits a pin that the schema has accepted.
 * @example parsePin('sentiment-2=sentiment@2.1.0') // => { installedAs: 'sentiment-2', name: 'sentiment', version: '2.1.0' }
 */
export function parsePin(pin: string): PackagePin {
  const equals = pin.indexOf('=');
  const target = pin.slice(equals + 1);
  const at = target.lastIndexOf('@');
  const name = target.slice(0, at);
  return {
    installedAs: equals < 0 ? name : pin.slice(0, equals),
    name,
    version: target.slice(at + 1),
  };
}

/** Finds and digests a pinned package, walking up from a folder. */
export async function readInstalledPackage(from: string, pin: string): Promise<PackageReading> {
  const { installedAs, name, version } = parsePin(pin);
  const folder = await findPackage(from, installedAs);
  if (folder === null) {
    return refused(
      'package-missing',
      `The package "${installedAs}" is not installed.`,
      `Install ${name}@${version}${installedAs === name ? '' : ` under the name ${installedAs}`} where the experiment can import it.`,
    );
  }
  const manifest = await readManifest(folder);
  if (manifest.name !== name || manifest.version !== version) {
    return refused(
      'package-version',
      `Expected ${name}@${version} under "${installedAs}", got ${manifest.name}@${manifest.version}.`,
      'Install the version that is pinned, or pin the version that is installed.',
    );
  }
  const materials: Material[] = [];
  const link = await collect(folder, '', materials);
  if (link !== null) {
    return refused(
      'package-link',
      `The package "${installedAs}" holds the symbolic link "${link}".`,
      'Install it from a registry, so that all its bytes lie in its own folder.',
    );
  }
  materials.sort((first, second) => compareCodeUnits(first.path, second.path));
  return {
    status: 'read',
    installed: { pin, name: installedAs, folder, tree: treeDigest(materials), materials },
  };
}

function refused(code: FileFault['code'], message: string, mend: string): PackageReading {
  return { status: 'refused', fault: { code, message, mend } };
}

async function findPackage(from: string, installedAs: string): Promise<string | null> {
  let folder = from;
  for (;;) {
    const found = await realFolder(join(folder, 'node_modules', installedAs));
    if (found !== null) return found;
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

async function realFolder(path: string): Promise<string | null> {
  try {
    await readFile(join(path, 'package.json'));
    return await realpath(path);
  } catch {
    return null;
  }
}

async function readManifest(folder: string): Promise<{ name: string; version: string }> {
  try {
    const manifest = readJson(new Uint8Array(await readFile(join(folder, 'package.json'))));
    if (!isMapping(manifest)) return { name: 'unknown', version: 'unknown' };
    return { name: String(manifest['name']), version: String(manifest['version']) };
  } catch (error) {
    if (error instanceof LiftgateError) return { name: 'unreadable', version: 'unknown' };
    throw error;
  }
}

/** Adds the files below a folder of the package; returns the first symbolic link met, or null. */
async function collect(root: string, inner: string, materials: Material[]): Promise<string | null> {
  const entries = await readdir(join(root, inner), { withFileTypes: true });
  for (const entry of entries) {
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isSymbolicLink()) return path;
    if (entry.isDirectory()) {
      const link = entry.name === 'node_modules' ? null : await collect(root, path, materials);
      if (link !== null) return link;
    } else if (entry.isFile()) {
      materials.push(materialOf(path, new Uint8Array(await readFile(join(root, path)))));
    }
  }
  return null;
}
