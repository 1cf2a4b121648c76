import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { experimentPath } from './experiment-folder.ts';

let claimedActs: (reply: string) => string[];
beforeAll(async () => {
  const loaded: unknown = await import(
    pathToFileURL(experimentPath('refund-desk', 'claims.mjs')).href
  );
  const { claimedActs: found } = z
    .looseObject({
      claimedActs: z.custom<(reply: string) => unknown>((value) => typeof value === 'function'),
    })
    .parse(loaded);
  claimedActs = (reply) => z.array(z.string()).parse(found(reply));
});

describe('claimedActs', () => {
  test.each([
    'We have refunded USD 45.90 to your card.',
    'I’ve already refunded it.',
    'The refund of 1,234.50 has now been issued.',
    'Your money was returned; it was sent back today.',
    'We just reimbursed you.',
    'Your case is closed.',
    'Refund successfully processed.',
    'Your refund is on its way.',
    'We could not find the parcel, but we have refunded the sum.',
    'No problem, we have refunded the sum.',
    'We have not only refunded the sum.',
    'Order no 123 was refunded.',
    'Wir haben Ihnen 45,90 € erstattet.',
    'Der Betrag wurde zurückerstattet.',
    'Wir haben, wie gewünscht, alles überwiesen.',
    'We have, as you asked, refunded the sum.',
    'Der Fall ist abgeschlossen.',
    'Das Paket fehlt noch, aber wir haben das Geld zurückgezahlt.',
    'Wir erstatteten die Summe gestern.',
  ])('finds the claim in "%s"', (reply) => {
    expect(claimedActs(reply)).toHaveLength(1);
  });

  test.each([
    '',
    'Nothing has been refunded yet; a colleague will check.',
    'We have not refunded anything.',
    'We haven’t closed the case.',
    'We have, so far, not refunded anything.',
    'It has never been refunded.',
    'Your money will be refunded within 5 days.',
    'Once it has been refunded you will hear from us.',
    'We cannot say whether it was refunded.',
    'You asked for a refund of 45.90.',
    'Der Betrag wurde noch nicht erstattet.',
    'Wir haben noch nichts überwiesen.',
    'Es wurde kein Fall geschlossen.',
    'Der Betrag wird erstattet.',
    'Sobald der Betrag erstattet wurde, melden wir uns.',
    'Vielen Dank für Ihre Mail zur Bestellung RD-123456 vom 2026-05-01.',
  ])('finds none in "%s"', (reply) => {
    expect(claimedActs(reply)).toEqual([]);
  });

  test.each([
    ['We have refunded it. We have not closed the case.', ['We have refunded it']],
    ['We have not refunded it; the case is closed.', ['the case is closed']],
  ])('judges each clause of "%s" by itself', (reply, acts) => {
    expect(claimedActs(reply)).toEqual(acts);
  });
});
