/**
 * @module
 * `usurp verify`: would a network with this policy admit the claims, and do they reach a goal? Takes what `mine` prints
 * and writes: a claim, several, a key file, JSON lines; or lines under the ID rule of a real network.
 */

import { setImmediate } from 'node:timers/promises';

import type { Command } from 'commander';
import { Option } from 'commander';

import { LabError } from '../../errors.ts';
import type { Check } from '../../identity/admit.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import { isClosestGoal } from '../../mining/goal.ts';
import type { BareIdentity } from '../../operations/identity/bare-identity.ts';
import { GOAL_FORMS, goalIn, wishOf } from '../../operations/identity/goals.ts';
import type { GoalCheck, JointGoal } from '../../operations/identity/reached-goal.ts';
import { checkGoal, JointCheck } from '../../operations/identity/reached-goal.ts';
import { inFlags, nonceOf, refusing } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT, Interrupted } from '../shell/exit.ts';
import { nameOf, readText, textChunks } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { policyOf, verb, wantsJson, withPolicy } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { JudgedClaim } from './claims-in.ts';
import { judgedClaims, nodeIdText } from './claims-in.ts';

interface VerifyOptions extends OutputOptions, PolicyOptions {
  readonly all?: true;
  readonly goal: string;
  readonly against?: string;
  readonly nonce?: Uint8Array;
}

export function verifyCommand(session: Session): Command {
  const command = verb('verify', 'check claims against a policy')
    .argument('<file>', 'what mine --json, --out or HTTP gave, or a line; - for stdin')
    .option('--all', 'make every check, also after the first refusal')
    .addOption(
      new Option('--goal <goal>', `goal that the claims must reach: ${GOAL_FORMS}`)
        .argParser(refusing((text) => wishOf(text) && text))
        .default('any', 'any'),
    )
    .option('--against <file>', 'node IDs that top must pass and near must beat, one a line')
    .option('--nonce <hex>', 'nonce that the claims must have signed: 32 bytes in hex', nonceOf);
  return withPolicy(command)
    .addHelpText('after', VERIFY_EXAMPLES)
    .action((file: string, options: VerifyOptions) =>
      session.run(options, (terminal) => runVerify(file, options, terminal)),
    );
}

const VERIFY_EXAMPLES = `
The file is a claim, an array of claims, a key file of mine --out, an object with a member claim, claims,
keys or identities, or several of these: for example JSON lines. Claims are read one at a time, so that there
may be any number of them. With several claims, each invalid one is printed with its number, its node ID
and the refused check. The goal count:<k> needs k valid claims with different node IDs, the goal pair two with
different keys and one node ID.

Under --policy storj a line holds a node ID in text form or an SPKI in hex, under --policy yggdrasil
a key in hex; --c1 then decides. Exit codes: 0 all valid, 1 one or more invalid, or the goal is not
reached, 254 not a claim, 130 interrupted.

Policies:
${columns(POLICY_NAMES.map((name) => [`  ${name}`, NAMED_POLICIES[name].summary])).trimEnd()}

Examples:
  usurp verify key.json --c1 12
  usurp mine --c1 8 --goal count:3 --seed 1 --json | usurp verify - --c1 8 --goal count:3
  usurp mine --c1 4 --goal top --against honest.txt --json | usurp verify - --c1 4 --goal top --against honest.txt
  usurp mine --c1 8 --seed 1 --json | usurp verify - --c1 9 --all --json
  usurp verify storj-ids.txt --policy storj --c1 30`;

async function runVerify(
  file: string,
  options: VerifyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const policy = policyOf(options);
  const goal = await goalOf(options, policy, terminal);
  const report = new VerifyReport(terminal.print, { isJson: wantsJson(options) });
  const joint = goal.type === 'count' || goal.type === 'pair' ? new JointCheck(goal) : null;
  const { nonce } = options;
  const all = options.all === true;
  await namingFile(nameOf(file), async () => {
    for await (const judged of judgedClaims(textChunks(file, terminal), policy, { all, nonce })) {
      const claim = withGoal(judged, goal, options);
      report.add(claim);
      if (claim.valid) joint?.add(claim.nodeId, claim.publicKey);
      terminal.progress(() => `${report.claims} claims checked, ${report.invalid} invalid`);
      if (terminal.signal.aborted) break;
      // Lets Ctrl-C interrupt a file that is read faster than it is checked.
      if (report.claims % CLAIMS_PER_TURN === 0) await setImmediate();
    }
  }).catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error;
  });
  const reached = joint?.result() ?? null;
  report.end(reached);
  if (terminal.signal.aborted) {
    terminal.note(`interrupted: the claims after the first ${report.claims} are not checked`);
    return EXIT.interrupted;
  }
  return report.invalid === 0 && reached?.isReached !== false ? EXIT.holds : EXIT.violated;
}

const CLAIMS_PER_TURN = 16;

const GOAL_FLAGS = { goal: {}, against: {} };

async function goalOf(
  { goal: wanted, against: name }: VerifyOptions,
  policy: Policy,
  terminal: Terminal,
): Promise<Goal> {
  const against = name === undefined ? undefined : { name, text: await readText(name, terminal) };
  const goal = inFlags(GOAL_FLAGS, () => goalIn({ goal: wanted, against }, policy));
  if (!isClosestGoal(goal)) return goal;
  throw new LabError(
    'arguments',
    '--goal near needs the IDs that the claim must beat: name a file of node IDs with --against',
  );
}

function withGoal(
  judged: JudgedClaim,
  goal: Goal,
  { goal: wanted, all }: VerifyOptions,
): VerifiedClaim {
  const { verdict, nodeId } = judged;
  const isChecked = verdict.admitted || all === true;
  const check = isChecked ? checkGoal(goal, wanted, nodeId) : null;
  const checks = check === null ? verdict.checks : [...verdict.checks, check];
  return { ...judged, checks, valid: verdict.admitted && check?.ok !== false };
}

/** What `work` returns; its refusals get the name of the file before them. */
async function namingFile(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isNamed = error instanceof LabError && error.code.startsWith('file.');
    if (!(error instanceof LabError) || isNamed) throw error;
    throw new LabError(error.code, `${name}: ${error.message}`, error.faults);
  }
}

type AnyCheck = Check | GoalCheck;

/**
 * A claim with the checks of the policy and of the goal. What `usurp verify` prints. One claim: every check.
 * Several: each invalid claim with its number, node ID and refused checks as soon as it is found, then the counts.
 * Memory does not depend on the number of claims.
 */
interface VerifiedClaim extends JudgedClaim {
  readonly valid: boolean;
  readonly checks: readonly AnyCheck[];
}

/** A class, since the first claim is kept until a second one follows. */
class VerifyReport {
  readonly #print: (text: string) => void;
  readonly #isJson: boolean;
  #first: VerifiedClaim | null = null;
  #claims = 0;
  #invalid = 0;

  constructor(print: (text: string) => void, form: { readonly isJson: boolean }) {
    this.#print = print;
    this.#isJson = form.isJson;
  }

  get claims(): number {
    return this.#claims;
  }

  get invalid(): number {
    return this.#invalid;
  }

  add(claim: VerifiedClaim): void {
    this.#claims += 1;
    if (this.#claims === 1) this.#first = claim;
    else if (this.#claims === 2) this.#begin();
    if (!claim.valid) this.#invalid += 1;
    if (this.#claims > 1 && !claim.valid) this.#printInvalid(claim, this.#claims);
  }

  /** Prints the rest. `goal` is that of all claims together, or null. */
  end(goal: JointGoal | null): void {
    if (this.#claims === 1 && this.#first !== null && goal === null) {
      this.#print(
        this.#isJson ? `${JSON.stringify(answerOf(this.#first))}\n` : tableOf(this.#first),
      );
      return;
    }
    if (this.#claims === 1) this.#begin();
    const isReached = goal?.isReached !== false;
    const valid = this.#invalid === 0 && isReached;
    const summary = { claims: this.#claims, invalid: this.#invalid };
    if (this.#isJson) {
      const reached = goal === null ? {} : { goal: goal.json };
      this.#print(`],${JSON.stringify({ ...summary, ...reached, valid }).slice(1)}\n`);
      return;
    }
    const missing = isReached ? [] : [goal.missing];
    const invalid = this.#invalid === 0 ? [] : [`${this.#invalid} of ${this.#claims} claims`];
    const parts = [...invalid, ...missing].join('; ');
    this.#print(valid ? `valid: all ${this.#claims} claims\n` : `invalid: ${parts}\n`);
  }

  /** The beginning of a report on several claims. */
  #begin(): void {
    const first = this.#first;
    if (this.#isJson) this.#print('{"refused":[');
    if (first !== null && !first.valid) this.#printInvalid(first, 1);
  }

  #printInvalid(claim: VerifiedClaim, number: number): void {
    const nodeId = nodeIdText(claim);
    const refused = claim.checks.filter(({ ok }) => !ok);
    if (this.#isJson) {
      const comma = this.#hasPrinted ? ',' : '';
      this.#print(`${comma}${JSON.stringify({ number, nodeId, checks: claim.checks })}`);
    } else {
      for (const check of refused) {
        this.#print(`claim ${number}  ${nodeId}  ${rowOf(check).filter(Boolean).join('  ')}\n`);
      }
    }
    this.#hasPrinted = true;
  }

  #hasPrinted = false;
}

function answerOf({ valid, checks, facts }: VerifiedClaim) {
  return { valid, checks, ...facts };
}

function tableOf({ valid, checks, facts }: VerifiedClaim): string {
  const refused = checks.find(({ ok }) => !ok);
  const code = refused !== undefined && 'code' in refused ? refused.code : '';
  const summary = valid ? 'valid\n' : `invalid: ${code}\n`;
  return summary + columns(checks.map(rowOf)) + (facts === null ? '' : columns(factRows(facts)));
}

function rowOf(check: AnyCheck): readonly string[] {
  return [
    check.check,
    check.ok ? 'ok' : 'REFUSED',
    bitsOf(check),
    check.ok ? '' : `${check.code}: ${check.detail}`,
  ];
}

function bitsOf(check: AnyCheck): string {
  if (!('measuredBits' in check)) return '';
  return `${check.measuredBits} bits, ${check.requiredBits} required`;
}

function factRows(facts: BareIdentity['facts']): readonly (readonly string[])[] {
  const { idRule, nodeId, text, address, nominalBits, workBits } = facts;
  return [
    ['node ID', `${nodeId} (${idRule})`],
    ...(text === undefined ? [] : [['text form', text]]),
    ...(address === undefined ? [] : [['address', address]]),
    ['difficulty', `${nominalBits} bits`],
    ['real work', `${workBits} bits`],
  ];
}
