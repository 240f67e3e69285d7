/**
 * @module
 * The forms of the dynamic puzzle: `concat`, bound to one node, one epoch and one network; `xor`, as
 * S/Kademlia published it; `unhashed`, a mistaken reading of the paper.
 */

import { concatBytes, leadingZeroBits, u64be } from '../../bytes.ts';
import type { DynamicPuzzle, PuzzleInput } from './puzzle.ts';
import { definePuzzle, S_KADEMLIA } from './puzzle.ts';
import type { PuzzleRules } from './puzzle-function.ts';
import { DEFAULT_PUZZLE_RULES, evaluatePuzzle } from './puzzle-function.ts';

const NUMBER_BYTES = 8;

const concatPuzzle = definePuzzle({
  kind: 'dynamic',
  name: 'concat',
  formula: 'h(challenge ‖ nodeId ‖ X)',
  source: `${S_KADEMLIA}, repaired`,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: false,
  solutionBytes: () => NUMBER_BYTES,
  solution: (_nodeId, number) => u64be(number),
  message: ({ challenge, nodeId, solution }) => concatBytes(challenge, nodeId, solution),
  bitsMax: (outputBits) => outputBits,
});

/** One Y with a good h(Y) solves it for every node ID as X = nodeId ⊕ Y. */
const xorPuzzle = definePuzzle({
  kind: 'dynamic',
  name: 'xor',
  formula: 'h(nodeId ⊕ X)',
  source: S_KADEMLIA,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: true,
  solutionBytes: (nodeIdBytes) => nodeIdBytes,
  solution: (nodeId, number) => rightAligned(number, nodeId.length),
  message: ({ nodeId, solution }) => exclusiveOr(nodeId, solution),
  // There are no more X to try than node IDs.
  bitsMax: (outputBits, nodeIdBits) => Math.min(outputBits, nodeIdBits),
});

/** X = nodeId solves any difficulty. It is the X with number 0. */
const unhashedPuzzle = definePuzzle({
  ...xorPuzzle,
  name: 'unhashed',
  formula: 'nodeId ⊕ X',
  source: `a mistaken reading of ${S_KADEMLIA}: perlin-network/noise, skademlia/puzzle.go (2019)`,
  evaluations: 0,
  freeBits: Number.POSITIVE_INFINITY,
  isAmortisable: false,
  solution: (nodeId, number) => exclusiveOr(nodeId, rightAligned(number, nodeId.length)),
});

/** The default first. */
const LISTED = {
  concat: concatPuzzle,
  xor: xorPuzzle,
  unhashed: unhashedPuzzle,
} as const;

export type DynamicForm = keyof typeof LISTED;
export const DYNAMIC_PUZZLES: Readonly<Record<DynamicForm, DynamicPuzzle>> = LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const DYNAMIC_FORMS = Object.keys(LISTED) as readonly DynamicForm[];

/**
 * The difficulty that a solution meets, 0..256 bits. A solution of another length than that of the form
 * measures 0, because a free length would be a second way to write one X. The function is SHA-256 without a
 * policy.
 */
export function dynamicBits({
  form,
  policy = DEFAULT_PUZZLE_RULES,
  ...input
}: PuzzleInput & {
  readonly form: DynamicForm;
  readonly policy?: PuzzleRules | undefined;
}): number {
  const { solutionBytes, message, evaluations } = DYNAMIC_PUZZLES[form];
  if (input.solution.length !== solutionBytes(input.nodeId.length)) return 0;
  const measured = message(input);
  return leadingZeroBits(evaluations === 0 ? measured : evaluatePuzzle(policy, measured));
}

/** Byte by byte, as long as the left one. */
function exclusiveOr(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}

function rightAligned(number: number, length: number): Uint8Array {
  const digits = u64be(number);
  if (length < digits.length) return digits.subarray(digits.length - length);
  const bytes = new Uint8Array(length);
  bytes.set(digits, length - digits.length);
  return bytes;
}
