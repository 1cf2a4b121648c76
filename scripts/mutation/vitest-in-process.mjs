// The part of vitest that the statistics tests use, without workers: tests are collected in a list and run where they stand. The
// assertions are vitest's own.
import { format } from 'node:util';
import * as kit from '@vitest/expect';

const { chai } = kit;
chai.use(kit.JestExtend);
chai.use(kit.JestChaiExpect);
chai.use(kit.JestAsymmetricMatchers);

export function expect(value, message) {
  return chai.expect(value, message);
}
Object.assign(expect, chai.expect, globalThis[kit.ASYMMETRIC_MATCHERS_OBJECT]);
globalThis[kit.GLOBAL_EXPECT] = expect;
kit.setState({ assertionCalls: 0, isExpectingAssertions: false }, expect);

/** Types are checked by the compiler; here the calls do nothing. */
export function expectTypeOf() {
  const nothing = new Proxy(() => nothing, { get: () => nothing });
  return nothing;
}

/** Collected tests: name and function. The list is replaced whenever the tests are loaded again. */
const collected = { tests: [], path: [] };

export function collectInto(tests) {
  collected.tests = tests;
}

/** A name with its placeholders filled in; what no placeholder asks for is left out. */
function named(name, row) {
  return format(name, ...row.slice(0, (name.match(/%[sdifjoO]/g) ?? []).length));
}

function rowsOf(rows) {
  return rows.map((row) => (Array.isArray(row) ? row : [row]));
}

/** Names carry their position, so that no two tests share one. */
export function test(name, run) {
  const names = [...collected.path, name];
  collected.tests.push({ name: `${collected.tests.length} ${names.join(' > ')}`, run });
}
test.each = (rows) => (name, run) => {
  for (const row of rowsOf(rows)) test(named(name, row), () => run(...row));
};

export function describe(name, body) {
  collected.path.push(name);
  body();
  collected.path.pop();
}
describe.each = (rows) => (name, body) => {
  for (const row of rowsOf(rows)) describe(named(name, row), () => body(...row));
};
