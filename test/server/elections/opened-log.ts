/**
 * @module
 * A file for elections only.
 */

import type { ElectionLog } from '../../../server/elections/storage/log.ts';
import { electionLog } from '../../../server/elections/storage/log.ts';
import { answerLog } from '../../../server/idempotency/answer-log.ts';
import { openStore } from '../../../server/store/store-file.ts';

/** Opens or creates a file for elections only. Throws as `openStore` does. */
export function openElectionLog(path: string): ElectionLog {
  const file = openStore(path);
  return electionLog(file, answerLog(file));
}
