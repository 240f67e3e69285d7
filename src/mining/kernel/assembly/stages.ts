/**
 * @module
 * The hashes of candidates, by the format of the policy. Each has room for three multiplications. The
 * first makes node IDs of four keys. The second tests four node IDs. If the goal has a window, the IDs
 * inside it are queued, and the second hash is made when there are four of them. Multiplications that
 * have no hash to run beside run alone.
 */
import { mul } from './field';
import { isIdOpened, LONG, SHA1, SHORT } from './formats';
import {
  enqueue, inside, keepDigests, listsIds, passing, queueLength, queues, report, reportIds,
  reportQueued,
} from './hits';
import { hashMultiplying, LONG_BANK } from './interleaved';
import {
  CURVE, DIGEST_WORDS, DIGESTS, EARLY, ENDINGS, ID_BANK, ID_ENDS, ID_KIND, KEY_BANK, KEY_ENDS,
  KEY_KIND, MESSAGE, QUEUE, SCHEDULE, STATE, UNUSED, WORDS,
} from './layout';
import { sha1Multiplying } from './sha/sha1';
import { ending } from './sha/sha-blocks';

/** Makes the node IDs of the keys at `m`. `opened` is that of `hashMultiplying`. */
@inline export function hashKeys<F>(
  opened: bool, group: usize, m: usize, d0: usize, a0: usize, b0: usize, d1: usize, a1: usize,
  b1: usize, d2: usize, a2: usize, b2: usize,
): void {
  const kind = load<u32>(KEY_KIND);
  if (kind == SHORT) {
    const early = EARLY + (group << 7), words = WORDS + group * SCHEDULE;
    hashMultiplying<F>(opened, early, words, m, KEY_BANK, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  } else {
    hashOther<F>(kind, false, m, d0, a0, b0, d1, a1, b1, d2, a2, b2);
    if (load<u32>(KEY_ENDS) != 0) ending(ENDINGS);
  }
  keepDigests(group);
}

/** Tests the node IDs of a group, of which lane l is attempt + l * step, and lists hits. */
@inline export function testIds<F>(
  group: usize, attempt: u32, step: u32, d0: usize, a0: usize, b0: usize, d1: usize, a1: usize,
  b1: usize, d2: usize, a2: usize, b2: usize,
): void {
  if (queues()) {
    queueIds<F>(inside(group), group, attempt, step, d0, a0, b0, d1, a1, b1, d2, a2, b2);
    return;
  }
  hashIds<F>(DIGESTS + group * MESSAGE, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  const mask = passing() & inside(group);
  if (mask != 0) report(mask, attempt, step);
}

/** Queues the lanes of `mask`. At most one queue of four is full in a call. */
function queueIds<F>(
  mask: i32, group: usize, attempt: u32, step: u32, d0: usize, a0: usize, b0: usize, d1: usize,
  a1: usize, b1: usize, d2: usize, a2: usize, b2: usize,
): void {
  let isMultiplied = false;
  if (listsIds()) {
    reportIds(mask, group, attempt, step);
    mask = 0;
  }
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    if (!enqueue(group, lane, attempt + <u32>lane * step)) continue;
    hashIds<F>(QUEUE, d0, a0, b0, d1, a1, b1, d2, a2, b2);
    reportQueued(passing());
    isMultiplied = true;
  }
  if (isMultiplied) return;
  mul<F>(d0, a0, b0);
  mul<F>(d1, a1, b1);
  mul<F>(d2, a2, b2);
}

/** Tests what is left in the queue. */
export function emptyQueue<F>(): void {
  const d = UNUSED, a = CURVE;
  if (queueLength() == 0) return;
  hashIds<F>(QUEUE, d, a, a, d, a, a, d, a, a);
  reportQueued(passing());
}

/** Makes and tests the node IDs of the `lanes` of a message after which no quad follows. */
export function testAlone<F>(
  opened: bool, m: usize, lanes: i32, attempt: u32, step: u32,
): void {
  const d = UNUSED, a = CURVE;
  hashKeys<F>(opened, 0, m, d, a, a, d, a, a, d, a, a);
  if (queues()) {
    queueIds<F>(inside(0) & lanes, 0, attempt, step, d, a, a, d, a, a, d, a, a);
    return;
  }
  hashIds<F>(DIGESTS, d, a, a, d, a, a, d, a, a);
  report(passing() & inside(0) & lanes, attempt, step);
}

/** Tests the node IDs of group 0 in the `lanes`, of which lane l is attempt + l. */
export function testKept<F>(lanes: i32, attempt: u32): void {
  const d = UNUSED, a = CURVE, mask = inside(0) & lanes;
  if (mask == 0) return;
  hashIds<F>(DIGESTS, d, a, a, d, a, a, d, a, a);
  report(passing() & mask, attempt, 1);
}

/** The second hash of the node IDs at `m`. */
@inline function hashIds<F>(
  m: usize, d0: usize, a0: usize, b0: usize, d1: usize, a1: usize, b1: usize, d2: usize,
  a2: usize, b2: usize,
): void {
  const kind = load<u32>(ID_KIND);
  if (kind == SHORT) {
    hashMultiplying<F>(
      false, STATE, DIGEST_WORDS, m, ID_BANK, d0, a0, b0, d1, a1, b1, d2, a2, b2,
    );
    return;
  }
  hashOther<F>(kind, isIdOpened(), m, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  if (load<u32>(ID_ENDS) != 0) ending(ENDINGS + 1024);
}

/** Hashes a block that is not short. Its schedule follows its words. */
function hashOther<F>(
  kind: u32, opened: bool, m: usize, d0: usize, a0: usize, b0: usize, d1: usize, a1: usize,
  b1: usize, d2: usize, a2: usize, b2: usize,
): void {
  if (kind == SHA1) sha1Multiplying<F>(m, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  else hashMultiplying<F>(opened, STATE, m, m, LONG_BANK, d0, a0, b0, d1, a1, b1, d2, a2, b2);
}
