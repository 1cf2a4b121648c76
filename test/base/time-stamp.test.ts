import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import {
  type Authority,
  parseAuthorities,
  parseTimeStamp,
  stampsBytes,
  timeStampFault,
} from '../../src/base/time-stamp.ts';
import { makeAuthority, stamp } from '../support/authority.ts';
import { bytesOf } from '../support/ledger-story.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const text = bytesOf('what was there\n');
let reply: Uint8Array;
let authorities: readonly Authority[];

beforeAll(async () => {
  const folder = await makeFolder();
  makeAuthority(folder);
  writeFileSync(join(folder, 'text'), text);
  stamp(folder, 'text', 'reply.tsr');
  reply = new Uint8Array(readFileSync(join(folder, 'reply.tsr')));
  authorities = parseAuthorities(readFileSync(join(folder, 'ca.pem'), 'utf8'), 'ca.pem');
});

/** The time a reader believes; what is wrong, in words, otherwise. */
function believed(bytes: Uint8Array): string {
  try {
    const found = parseTimeStamp(bytes, 'reply.tsr');
    if (!stampsBytes(found, text)) return 'it stamps something else';
    return timeStampFault(found, authorities) ?? `at ${found.time}`;
  } catch (error) {
    if (error instanceof LiftgateError && error.code === 'signature-invalid') return error.message;
    throw error;
  }
}

describe('a time stamp', () => {
  test('is believed through the certificate of whoever issued that of its authority', () => {
    expect(believed(reply)).toMatch(/^at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/);
  });

  test('tells no other time and crashes nobody after a change of any byte, certificates included', () => {
    const time = believed(reply);
    const told = Array.from(reply.keys(), (at) =>
      believed(reply.with(at, (reply[at] ?? 0) ^ (1 << (at % 8)))),
    );
    const held = told.filter((each) => each.startsWith('at '));
    expect(new Set(held)).toEqual(new Set([time]));
    // What may change is the certificate of the issuer in the reply: the reader has its own.
    expect(held.length).toBeLessThan(told.length / 2);
    expect(new Set(told).size).toBeGreaterThan(10);
  });

  test('ends nowhere else', () => {
    for (let length = 0; length < reply.length; length += 1)
      expect(believed(reply.subarray(0, length))).toMatch(/^This is no time stamp: /);
    expect(believed(Buffer.concat([reply, bytesOf('\0')]))).toContain('something follows it');
  });
});
