/**
 * Proof that a commit of git holds a file with certain bytes: the commit and the trees on the way to the file, each named by its digest
 * in the one before. Nothing but the commit's id has to be known from elsewhere; ids are SHA-1, or SHA-256 in repositories that use it.
 */
import { createHash } from 'node:crypto';
import { checkSsh, signerOfSsh, unarmourSsh } from './signature.ts';
import type { TrustedKey } from './trust.ts';

/** A commit and the way from its tree to one file. */
export interface GitProof {
  /** Path of the file from the top of the repository, `/` between its parts. */
  readonly path: string;
  /** Content of the commit object. */
  readonly commit: Uint8Array;
  /** Content of the trees on the way, the commit's own first: one for each part of the path. */
  readonly trees: readonly Uint8Array[];
}

/** Id that git gives an object. */
function objectId(type: 'blob' | 'tree' | 'commit', content: Uint8Array, hash: string): string {
  return createHash(hash).update(`${type} ${content.length}\0`).update(content).digest('hex');
}

/** Id of the commit of a proof. */
export function commitId({ commit }: GitProof): string {
  return objectId('commit', commit, hashOf(commit));
}

function hashOf(commit: Uint8Array): string {
  const tree = /^tree ([0-9a-f]+)\n/.exec(Buffer.from(commit).toString('latin1', 0, 80))?.[1];
  return tree?.length === 64 ? 'sha256' : 'sha1';
}

/** Ids in a tree by name. */
function namesIn(tree: Uint8Array, idBytes: number): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at);
    if (end < 0 || end + 1 + idBytes > tree.length) return new Map();
    const name = Buffer.from(tree.subarray(at, end))
      .toString('utf8')
      .replace(/^[0-7]+ /, '');
    names.set(name, Buffer.from(tree.subarray(end + 1, end + 1 + idBytes)).toString('hex'));
    at = end + 1 + idBytes;
  }
  return names;
}

/** Why a proof does not show that its commit holds these bytes; null when it does. */
export function gitProofFault(proof: GitProof, bytes: Uint8Array): string | null {
  const { commit, path, trees } = proof;
  const hash = hashOf(commit);
  const idBytes = hash === 'sha256' ? 32 : 20;
  const names = path.split('/');
  let expected = /^tree ([0-9a-f]+)\n/.exec(Buffer.from(commit).toString('latin1'))?.[1];
  if (names.length !== trees.length) return 'it does not lead to the file';
  for (const [at, name] of names.entries()) {
    const tree = trees[at] ?? new Uint8Array();
    if (objectId('tree', tree, hash) !== expected) return 'a tree on the way is another one';
    expected = namesIn(tree, idBytes).get(name);
    if (expected === undefined) return `there is no "${name}" on the way`;
  }
  return objectId('blob', bytes, hash) === expected ? null : 'the file in it has other bytes';
}

/** Namespace of git's SSH signatures. */
const gitNamespace = 'git';

/**
 * The trusted key whose SSH signature the commit of a proof carries; null when it carries none, several, or one of somebody else. What is
 * signed is the commit without its signature headers.
 * @see git, commit.c, parse_buffer_signed_by_header
 */
export function commitSigner({ commit }: GitProof, keys: readonly TrustedKey[]): TrustedKey | null {
  const own = hashOf(commit) === 'sha256' ? 'gpgsig-sha256 ' : 'gpgsig ';
  const text = Buffer.from(commit).toString('latin1');
  const body = text.indexOf('\n\n');
  const header = body < 0 ? text : text.slice(0, body);
  // A line that starts with a space goes on with the header before it.
  const headers = header.split(/\n(?! )/);
  const signatures = headers.filter((line) => line.startsWith(own));
  const [armoured = ''] = signatures.map((line) => line.slice(own.length).replaceAll('\n ', '\n'));
  const blob = signatures.length === 1 ? unarmourSsh(armoured) : null;
  const signer = blob === null ? null : signerOfSsh(blob);
  if (blob === null || signer === null) return null;
  const kept = headers.filter((line) => !line.startsWith('gpgsig')).join('\n');
  const signed = Buffer.from(body < 0 ? kept : kept + text.slice(body), 'latin1');
  const named = keys.filter(({ key }) => Buffer.compare(key.blob, signer) === 0);
  return named.find(({ key }) => checkSsh(key, signed, blob, gitNamespace) === null) ?? null;
}
