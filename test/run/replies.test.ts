import * as replies from '../../src/run/replies.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest } from '../support/host-conformance.ts';

exampleTests('src/run/replies.ts', {
  names: Object.keys(replies).filter((name) => name !== 'unknownUsage'),
  scope: { ...replies, request: executeRequest('well') },
});
