/**
 * A PostgreSQL server of the tests' own: a fresh cluster in a temporary folder, reached over a Unix socket there, gone afterwards.
 *
 * Debian keeps the programs in /usr/lib/postgresql/VERSION/bin; LIFTGATE_POSTGRES_BIN names another folder. PostgreSQL refuses to
 * run as root, so root starts it as the user `postgres`. With CI=true a missing server fails the tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';

const installed = '/usr/lib/postgresql';

function programsFolder(): string | null {
  const own = process.env['LIFTGATE_POSTGRES_BIN'];
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const newest = versions.toSorted((first, second) => Number(second) - Number(first));
  const folders = [own, ...newest.map((version) => join(installed, version, 'bin'))];
  return (
    folders.find((folder) => folder !== undefined && existsSync(join(folder, 'initdb'))) ?? null
  );
}

/** How to get a server where there is none. */
export const howToInstall =
  'PostgreSQL is not installed: run `bash .ci/services.sh` (Debian: apt-get install postgresql), or name the folder of initdb in LIFTGATE_POSTGRES_BIN.';

/** Whether the tests can run here; in CI they must. */
export const hasPostgres: boolean = programsFolder() !== null || process.env['CI'] === 'true';
if (!hasPostgres) console.warn(`The tests of the PostgreSQL ledger are left out. ${howToInstall}`);

/** Settings of postgresql.conf. */
export type ServerSettings = Readonly<Record<string, string>>;

/** A running cluster. */
export class TestServer {
  readonly folder: string;
  private readonly programs: string;
  private readonly settings: ServerSettings;

  /** @param root  where the cluster lies; without it where no disk slows it down */
  constructor(
    settings: ServerSettings = {},
    root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  ) {
    const programs = programsFolder();
    if (programs === null) throw new Error(howToInstall);
    this.programs = programs;
    this.settings = settings;
    this.folder = this.run(['mktemp', '-d', join(root, 'liftgate-pg-XXXXXX')]).trim();
    this.run([
      ...[join(programs, 'initdb'), '-D', this.data, '-U', 'owner', '-A', 'trust'],
      ...['-E', 'UTF8', '--locale=C', '--no-sync'],
    ]);
    this.start();
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  /** URL of a ledger for a role. */
  url(ledger = 'main', { user = 'owner', database = 'postgres', more = '' } = {}): string {
    return `postgres://${user}@localhost/${database}?host=${this.folder}&ledger=${ledger}${more}`;
  }

  start(others: ServerSettings = {}): void {
    const settings = Object.entries({ listen_addresses: '', ...this.settings, ...others });
    const words = settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
    this.run([
      ...[join(this.programs, 'pg_ctl'), 'start', '-W', '-D', this.data],
      ...['-l', join(this.folder, 'log'), '-o', `-k ${this.folder} ${words}`],
    ]);
    this.wait('start', () => this.toldState().startsWith('ready'));
  }

  /** `immediate` is a crash: nothing is written down before the end. */
  stop(mode: 'fast' | 'immediate' = 'immediate'): void {
    const pid = Number(readFileSync(this.stateFile, 'utf8').split('\n')[0]);
    process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    this.wait('stop', () => !existsSync(this.stateFile));
  }

  /** Where the server tells its state, in the eighth line; it removes the file when it ends. */
  private get stateFile(): string {
    return join(this.data, 'postmaster.pid');
  }

  private toldState(): string {
    return existsSync(this.stateFile)
      ? (readFileSync(this.stateFile, 'utf8').split('\n')[7] ?? '')
      : '';
  }

  /** Looks thirty times as often as pg_ctl, whose waits would be most of the time that a restart takes. */
  private wait(what: string, isDone: () => boolean): void {
    const still = new Int32Array(new SharedArrayBuffer(4));
    for (const end = Date.now() + 60_000; !isDone(); Atomics.wait(still, 0, 0, 3))
      if (Date.now() > end) throw new Error(`PostgreSQL did not ${what}:\n${this.log()}`);
  }

  /** Stops the server and removes the cluster. */
  remove(): void {
    if (existsSync(this.stateFile)) this.stop();
    this.run(['rm', '-rf', this.folder]);
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** A connection outside any ledger store. */
  async connect(options: { user?: string; database?: string } = {}): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url('main', options) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements on a connection of their own; the rows of the last. */
  async query(
    text: string,
    options: { user?: string; database?: string } = {},
  ): Promise<Record<string, unknown>[]> {
    const client = await this.connect(options);
    try {
      const result: pg.QueryResult | pg.QueryResult[] = await client.query(text);
      return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  private run(command: readonly string[]): string {
    const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
    const [program = '', ...words] = [...asUser, ...command];
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      cwd: '/',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (status === 0) return stdout;
    throw new Error(`${command.join(' ')} failed: ${error?.message ?? ''}${stderr}${stdout}`);
  }
}

/** A server for the tests of one file. */
export function testServer(settings: ServerSettings = {}): () => TestServer {
  let server: TestServer | null = null;
  beforeAll(() => {
    server = new TestServer(settings);
  }, 120_000);
  afterAll(() => server?.remove());
  return () => {
    if (server === null) throw new Error('the server is started by beforeAll');
    return server;
  };
}
