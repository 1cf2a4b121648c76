/** A time-stamping authority of one's own, made and asked with openssl. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const inFolder =
  (folder: string) =>
  (program: string, ...words: string[]): string =>
    execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

/** Settings of a time-stamping authority and of whoever certifies it. */
const authority = `[req]
distinguished_name=dn
[dn]
[tsa_ext]
basicConstraints=CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=critical,timeStamping
[plain_ext]
basicConstraints=CA:FALSE
[ca_ext]
basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign
[tsa1]
serial=./serial
signer_cert=./tsa.pem
certs=./ca.pem
signer_key=./tsa.key
signer_digest=sha256
default_policy=1.2.3.4.1
digests=sha256,sha512
ess_cert_id_chain=no
ess_cert_id_alg=sha256
`;

/** Makes an authority in a folder: `ca.pem` certifies it, `other.pem` does not. */
export function makeAuthority(folder: string): void {
  const run = inFolder(folder);
  writeFileSync(join(folder, 'tsa.cnf'), authority);
  writeFileSync(join(folder, 'serial'), '01\n');
  const made = ['-newkey', 'rsa:2048', '-nodes', '-config', 'tsa.cnf'];
  for (const name of ['ca', 'other'])
    run(
      'openssl',
      'req',
      '-x509',
      ...made,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '36500',
      '-extensions',
      'ca_ext',
    );
  run(
    'openssl',
    'req',
    '-new',
    ...made,
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.csr',
    '-subj',
    '/CN=tsa',
  );
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', '7', '-days', '36500'];
  run(
    'openssl',
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    ...signed,
    '-out',
    'tsa.pem',
    '-extfile',
    'tsa.cnf',
    '-extensions',
    'tsa_ext',
  );
}

/** The reply of the authority over a file, both in its folder. */
export function stamp(folder: string, file: string, reply: string): void {
  const run = inFolder(folder);
  run('openssl', 'ts', '-query', '-data', file, '-sha256', '-cert', '-no_nonce', '-out', 'q.tsq');
  run(
    'openssl',
    'ts',
    '-reply',
    '-config',
    'tsa.cnf',
    '-section',
    'tsa1',
    '-queryfile',
    'q.tsq',
    '-out',
    reply,
  );
}
