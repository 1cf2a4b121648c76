/**
 * A socket between a ledger and its PostgreSQL server that counts statements and does harm at one of them.
 *
 * A statement is what the client sends up to a simple query or a Sync; the server answers it up to ReadyForQuery.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { TestServer } from './postgres.ts';

/**
 * What happens at a statement. `cut-before`: the connection breaks before the server gets it; `cut-within`: after half of its bytes;
 * `cut-after`: when the server has finished it and before the client hears. `harm-...`: the harm is done at that moment, and the
 * connection breaks; `harm-during` does not wait for the server. `refuse`: the server never gets it, the client an error.
 */
export type FaultKind =
  | 'cut-before'
  | 'cut-within'
  | 'cut-after'
  | 'harm-before'
  | 'harm-during'
  | 'harm-after'
  | 'refuse';

export interface StatementFault {
  readonly kind: FaultKind;
  /** Number of the statement, from 1. */
  readonly at: number;
  readonly harm?: () => void;
  /** SQLSTATE of a refusal. */
  readonly state?: string;
}

const simpleQuery = 0x51;
const parse = 0x50;
const sync = 0x53;
const readyForQuery = 0x5a;

/** Cuts complete messages off a stream; the first of a client has no type byte. */
class Messages {
  private held = Buffer.alloc(0);
  private untyped: boolean;

  constructor(untyped: boolean) {
    this.untyped = untyped;
  }

  push(chunk: Buffer): Buffer[] {
    this.held = Buffer.concat([this.held, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const at = this.untyped ? 0 : 1;
      if (this.held.length < at + 4) return messages;
      const end = at + this.held.readInt32BE(at);
      if (this.held.length < end) return messages;
      messages.push(this.held.subarray(0, end));
      this.held = this.held.subarray(end);
      this.untyped = false;
    }
  }
}

function textOf(statement: readonly Buffer[]): string {
  const told = statement.find((message) => message[0] === simpleQuery || message[0] === parse);
  if (told === undefined) return '';
  const start = told[0] === parse ? told.indexOf(0, 5) + 1 : 5;
  return told.toString('utf8', start, told.indexOf(0, start));
}

function refusal(state: string): Buffer {
  const fields = Buffer.from(`SERROR\0C${state}\0Mrefused by the test\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields, Buffer.from([readyForQuery, 0, 0, 0, 5, 0x49])]);
}

/** One client's connection and its own to the server. */
class Link {
  private readonly proxy: PostgresProxy;
  private readonly client: Socket;
  private readonly server: Socket;
  private readonly fromClient = new Messages(true);
  private readonly fromServer = new Messages(false);
  private statement: Buffer[] = [];
  private started = false;
  /** Set while an answer is swallowed: called when the server has finished. */
  private finished: (() => void) | null = null;

  constructor(proxy: PostgresProxy, client: Socket, target: string) {
    this.proxy = proxy;
    this.client = client;
    this.server = createConnection(target);
    for (const [socket, other] of [
      [client, this.server],
      [this.server, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    client.on('data', (chunk: Buffer) => {
      for (const message of this.fromClient.push(chunk)) this.told(message);
    });
    this.server.on('data', (chunk: Buffer) => {
      for (const message of this.fromServer.push(chunk)) this.answered(message);
    });
  }

  cut(): void {
    this.client.destroy();
    this.server.destroy();
  }

  private told(message: Buffer): void {
    if (!this.started) {
      this.started = true;
      this.server.write(message);
      return;
    }
    this.statement.push(message);
    if (message[0] !== simpleQuery && message[0] !== sync) return;
    const statement = this.statement;
    this.statement = [];
    this.meet(statement, this.proxy.count(textOf(statement)));
  }

  private answered(message: Buffer): void {
    if (this.finished === null) this.client.write(message);
    else if (message[0] === readyForQuery) this.finished();
  }

  private meet(statement: readonly Buffer[], fault: StatementFault | null): void {
    const bytes = Buffer.concat(statement);
    switch (fault?.kind) {
      case undefined:
        this.server.write(bytes);
        return;
      case 'cut-before':
      case 'harm-before':
        this.end(fault);
        return;
      case 'cut-within':
        this.server.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => this.end(fault));
        return;
      case 'harm-during':
        this.server.write(bytes, () => this.end(fault));
        return;
      case 'cut-after':
      case 'harm-after':
        this.finished = () => this.end(fault);
        this.server.write(bytes);
        return;
      case 'refuse':
        this.client.write(refusal(fault.state ?? 'XX000'));
    }
  }

  private end({ harm }: StatementFault): void {
    harm?.();
    this.cut();
  }
}

/** A proxy of one server; it does harm once and is transparent before and after. */
export class PostgresProxy {
  /** Texts of the statements since `reset`. */
  statements: string[] = [];
  private fault: StatementFault | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), 'liftgate-proxy-'));
  private readonly links = new Set<Link>();
  private readonly listener: Server;

  constructor(server: TestServer) {
    const socket = '.s.PGSQL.5432';
    this.listener = createServer((client) => {
      const link = new Link(this, client, join(server.folder, socket));
      this.links.add(link);
      client.on('close', () => this.links.delete(link));
    });
    this.listener.listen(join(this.folder, socket));
  }

  /** URL of a ledger through the proxy. */
  url(ledger: string, more = ''): string {
    return `postgres://owner@localhost/postgres?host=${this.folder}&ledger=${ledger}${more}`;
  }

  /** Forgets what was told; the fault, if any, meets the statement of its number from now on. */
  reset(fault: StatementFault | null): void {
    this.statements = [];
    this.fault = fault;
  }

  /** Takes a statement; its fault, if it is the one that meets it. */
  count(text: string): StatementFault | null {
    this.statements.push(text);
    return this.fault?.at === this.statements.length ? this.fault : null;
  }

  close(): void {
    for (const link of this.links) link.cut();
    this.listener.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A proxy for the tests of one file. */
export function testProxy(server: () => TestServer): () => PostgresProxy {
  let proxy: PostgresProxy | null = null;
  beforeAll(() => {
    proxy = new PostgresProxy(server());
  });
  afterAll(() => proxy?.close());
  return () => {
    if (proxy === null) throw new Error('the proxy is started by beforeAll');
    return proxy;
  };
}
