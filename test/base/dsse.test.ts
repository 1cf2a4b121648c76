import { describe, expect, test } from 'vitest';
import {
  formatEnvelope,
  openEnvelope,
  parseEnvelope,
  preAuthentication,
  statementType,
} from '../../src/base/dsse.ts';
import type { Signer } from '../../src/base/signature.ts';
import { plainSigner, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const body = Buffer.from('{"a":1}\n');
const trusting = (...trust: readonly Signer[]) => ({
  payloadType: statementType,
  trust,
  file: 'x.dsse.json',
});

describe('preAuthentication', () => {
  test('executes its documented example, and the one of the protocol', () => {
    expect(Buffer.from(preAuthentication('t', Buffer.from('body'))).toString()).toBe(
      'DSSEv1 1 t 4 body',
    );
    expect(
      Buffer.from(
        preAuthentication('http://example.com/HelloWorld', Buffer.from('hello world')),
      ).toString(),
    ).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  });

  test('counts bytes, not characters', () => {
    expect(Buffer.from(preAuthentication('é', Buffer.from('ü'))).toString()).toBe('DSSEv1 2 é 2 ü');
  });
});

describe('openEnvelope', () => {
  test('gives back the body and everybody trusted who signed it', async () => {
    const [ci, alice, stranger] = [
      plainSigner('ci'),
      sshSigner({ folder: await folder(), name: 'alice', type: 'ecdsa' }),
      plainSigner('x'),
    ];
    const envelope = parseEnvelope(
      await formatEnvelope(statementType, body, [ci, stranger, alice]),
      'x.dsse.json',
    );
    const opened = openEnvelope(envelope, trusting(ci, alice));
    expect(Buffer.from(opened.body)).toEqual(body);
    expect(opened.signers).toEqual(['ci', 'alice']);
  });

  test('refuses a body signed by nobody trusted, a changed body, and a body of another type', async () => {
    const [ci, other] = [plainSigner('ci'), plainSigner('other')];
    const text = await formatEnvelope(statementType, body, [ci]);
    const envelope = parseEnvelope(text, 'x.dsse.json');
    expect(() => openEnvelope(envelope, trusting(other))).toThrow(
      'No key of the trust list has signed this.',
    );
    const changed = { ...envelope, payload: Buffer.from('{"a":2}\n').toString('base64') };
    expect(() => openEnvelope(changed, trusting(ci))).toThrow(
      'The signature of ci does not hold: the signature does not match.',
    );
    expect(() => openEnvelope({ ...envelope, payloadType: 'text/plain' }, trusting(ci))).toThrow(
      'The envelope holds text/plain',
    );
    const confused = parseEnvelope(await formatEnvelope('text/plain', body, [ci]), 'x.dsse.json');
    expect(() => openEnvelope({ ...confused, payloadType: statementType }, trusting(ci))).toThrow(
      'does not hold',
    );
  });

  test('refuses every flipped bit of payload and signature', async () => {
    const ci = plainSigner('ci');
    const envelope = parseEnvelope(await formatEnvelope(statementType, body, [ci]), 'x');
    const [signature = { keyid: '', sig: '' }] = envelope.signatures;
    const flips = (base64: string) =>
      [...Buffer.from(base64, 'base64').keys()].map((at) => {
        const bytes = Buffer.from(base64, 'base64');
        bytes[at] = (bytes[at] ?? 0) ^ 4;
        return bytes.toString('base64');
      });
    for (const payload of flips(envelope.payload)) {
      expect(() => openEnvelope({ ...envelope, payload }, trusting(ci))).toThrow('does not hold');
    }
    for (const sig of flips(signature.sig)) {
      expect(() =>
        openEnvelope({ ...envelope, signatures: [{ ...signature, sig }] }, trusting(ci)),
      ).toThrow('does not hold');
    }
  });
});

describe('parseEnvelope', () => {
  test.each([
    '{}',
    '[]',
    '{"payload":"","payloadType":"t","signatures":[{}]}',
    '{"payload":"","payloadType":"t","signatures":[],"x":1}',
  ])('refuses %s', (text) => {
    expect(() => parseEnvelope(text, 'x.dsse.json')).toThrow(
      expect.objectContaining({
        code: 'signature-invalid',
        exitCode: 41,
        where: { file: 'x.dsse.json' },
      }),
    );
  });
});
