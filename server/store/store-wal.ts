/**
 * @module
 * Examines the write-ahead log of a killed server before SQLite reads it. SQLite regards the first frame
 * with a wrong checksum as the end of the log and silently drops what follows. A kill can only leave such
 * a frame at the very end. Format: sqlite.org/fileformat2.html, section 4.
 */

export const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** The last bit of the magic number says that checksums use big-endian words. */
const MAGIC_BIG_ENDIAN = 0x377f0683;

export interface LogVerdict {
  /**
   * torn: the last frame is incomplete, by `missing` bytes. damaged: the frame at `bytes` is damaged, and the
   * frames behind it would be lost.
   */
  readonly type: 'whole' | 'torn' | 'damaged';
  /** Length of the intact frames. */
  readonly bytes: number;
  /** Length of the complete transactions. */
  readonly committed: number;
  readonly missing: number;
}

/** Judges the bytes of a `-wal` file. */
export function judgeLog(log: Uint8Array): LogVerdict {
  if (log.length < HEADER_BYTES) {
    const missing = log.length === 0 ? 0 : HEADER_BYTES - log.length;
    return { type: missing === 0 ? 'whole' : 'torn', bytes: 0, committed: 0, missing };
  }
  const words = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const magic = words.getUint32(0);
  const isBigEndian = magic === MAGIC_BIG_ENDIAN;
  const pageBytes = words.getUint32(8);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const sum = new RunningSum(words, isBigEndian);
  sum.add(0, HEADER_BYTES - 8);
  const isOurs = isBigEndian || magic === MAGIC;
  const isPageSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  if (!isOurs || !isPageSize || !sum.isAt(HEADER_BYTES - 8)) {
    return { type: 'damaged', bytes: 0, committed: 0, missing: 0 };
  }
  const saltsOf = (offset: number) =>
    [0, 4].filter((at) => words.getUint32(offset + 8 + at) === words.getUint32(16 + at)).length;
  let offset = HEADER_BYTES;
  let committed = 0;
  for (; offset + frameBytes <= log.length; offset += frameBytes) {
    sum.add(offset, 8);
    sum.add(offset + FRAME_HEADER_BYTES, pageBytes);
    if (saltsOf(offset) < 2 || !sum.isAt(offset + 16)) break;
    if (words.getUint32(offset + 4) !== 0) committed = offset + frameBytes;
  }
  const end = offset;
  // Frames from before the last reset of the log have two other salts and no meaning.
  for (offset += frameBytes; offset + FRAME_HEADER_BYTES <= log.length; offset += frameBytes) {
    if (saltsOf(offset) === 2) return { type: 'damaged', bytes: end, committed, missing: 0 };
  }
  const isTorn = end < log.length && (end + FRAME_HEADER_BYTES > log.length || saltsOf(end) > 0);
  const missing = isTorn ? Math.max(0, end + frameBytes - log.length) : 0;
  return { type: isTorn ? 'torn' : 'whole', bytes: end, committed, missing };
}

/** The checksum of the added bytes. */
class RunningSum {
  readonly #words: DataView;
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(words: DataView, isBigEndian: boolean) {
    this.#words = words;
    this.#isBigEndian = isBigEndian;
  }

  add(offset: number, bytes: number): void {
    let first = this.#first;
    let second = this.#second;
    for (let at = offset; at < offset + bytes; at += 8) {
      first = (first + this.#words.getUint32(at, !this.#isBigEndian) + second) | 0;
      second = (second + this.#words.getUint32(at + 4, !this.#isBigEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether the log has this sum at an offset. Sums are big-endian in every log. */
  isAt(offset: number): boolean {
    return (
      this.#words.getUint32(offset) === this.#first >>> 0 &&
      this.#words.getUint32(offset + 4) === this.#second >>> 0
    );
  }
}
