/** Preloaded into a process: tells on its end how much memory it held at most, as `peak-kb N` on the standard error. */
import { writeSync } from 'node:fs';

process.on('exit', () => {
  writeSync(2, `peak-kb ${process.resourceUsage().maxRSS}\n`);
});
