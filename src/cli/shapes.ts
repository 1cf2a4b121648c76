/** How recorded shapes are checked in a process that lives for one command. */
import * as z from 'zod';

/**
 * Checks shapes without generating code for each of them first, which pays for itself only in long-lived processes: measured on a
 * one-unit run it took longer than checking everything, and on 10,000 receipts it saved nothing. Call it before a shape is declared.
 */
export function interpretShapes(): void {
  z.config({ jitless: true });
}
