/** Signals to the process groups of children we started ourselves. */
import type { ChildProcess } from 'node:child_process';

/**
 * Sends a signal to a child and everything it started, through the group the child leads.
 * @returns false when nobody of the group is left
 */
export function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): boolean {
  // Without a pid the child never started; a pid of 0 or 1 would address other groups.
  if (child.pid === undefined || child.pid <= 1) return false;
  try {
    return process.kill(-child.pid, name);
  } catch {
    return false;
  }
}
