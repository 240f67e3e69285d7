/**
 * @module
 * The exports of the mining kernel. The host (wasm-kernel.ts) writes points and parameters into memory,
 * calls `prepare` once, `format` for a walk, `seek` for a centre, and `advance` for a number of batches. `testIds` needs a
 * `format` alone. The host numbers the attempts of all calls, verifies every hit, and searches batches that the kernel refuses.
 */
import { DONE, searchBatch, seekBatch } from './batch';
import { Edwards, Secp } from './columns';
import { edwardsEntry } from './ed25519';
import { fromBytes, prepareField, setSmall } from './field';
import { prepareFormat } from './formats';
import { prepareBounds } from './hits';
import {
  CURVE, HITS, HITS_FOUND, HITS_MAX, IDS, MEMORY_END, PAIRS, PARAMETERS, POINTS, POINTS_IN, QUAD,
  SCRATCH, SIBLINGS, STATUS,
} from './layout';
import { restart } from './search';
import { secpEntry } from './secp256k1';
import { emptyQueue } from './stages';

export { testIds } from './stock';

/** Edwards d and secp256k1's beta, little-endian. */
// prettier-ignore
const CONSTANTS: StaticArray<u64> = [
  0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73,
  0xc1396c28719501ee, 0x9cf0497512f58995, 0x6e64479eac3434e9, 0x7ae96a2b657c0710,
];

/** A full queue of node IDs may follow the keys of a batch. */
const QUEUE_MAX: u32 = 4;

/** The list of hits has no room for another batch. */
const FULL = 3;

let edwards = true;

export function pairs(): i32 { return <i32>PAIRS; }
export function parameters(): usize { return PARAMETERS; }
export function pointsIn(): usize { return POINTS_IN; }
export function hits(): usize { return HITS; }
export function ids(): usize { return IDS; }
export function memoryEnd(): usize { return MEMORY_END; }

/** Makes the constants and tables of scheme 0 (Ed25519) or 1 (secp256k1) from the points at `pointsIn`. */
export function prepare(scheme: i32): void {
  edwards = scheme == 0;
  if (edwards) prepareCurve<Edwards>();
  else prepareCurve<Secp>();
}

function prepareCurve<F>(): void {
  const x = SCRATCH + 4 * QUAD, y = x + 4;
  prepareField<F>();
  fromBytes(CURVE, changetype<usize>(CONSTANTS) + (edwards ? 0 : 32));
  setSmall(CURVE + 4, 1);
  fromBytes(CURVE + 8, POINTS_IN + 64 * PAIRS);
  fromBytes(CURVE + 12, POINTS_IN + 64 * PAIRS + 32);
  for (let i: usize = 0; i < PAIRS; i++) {
    fromBytes(x, POINTS_IN + 64 * i);
    fromBytes(y, POINTS_IN + 64 * i + 32);
    const at = (i >> 2) * QUAD + ((i & 3) << 2);
    if (edwards) edwardsEntry(at, x, y);
    else secpEntry(at, x, y);
  }
}

/** Reads the format in the parameters. A change of it needs a new `seek`. */
export function format(): void { prepareFormat(); }

/** Makes the centre in the parameters the centre of the next batch. */
export function seek(): void {
  if (edwards) seekBatch<Edwards>();
  else seekBatch<Secp>();
}

/** Searches at most `batches` batches and returns their number. STATUS says why it stopped. */
export function advance(batches: i32): i32 {
  const keys: u32 = load<u32>(SIBLINGS) == 0 ? 1 : edwards ? 2 : 6;
  prepareBounds();
  restart();
  store<u32>(HITS_FOUND, 0);
  let status = DONE;
  let done = 0;
  while (done < batches && status == DONE) {
    if (load<u32>(HITS_FOUND) + POINTS * keys + QUEUE_MAX > <u32>HITS_MAX) status = FULL;
    else status = edwards ? searchBatch<Edwards>() : searchBatch<Secp>();
    if (status == DONE) done++;
  }
  if (edwards) emptyQueue<Edwards>();
  else emptyQueue<Secp>();
  store<u32>(STATUS, status);
  return done;
}
