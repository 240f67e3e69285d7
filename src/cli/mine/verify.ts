/**
 * @module
 * `usurp verify`: would a network with this policy admit the claim? Takes a claim, what `mine`
 * printed, a key file, or one line under the ID rule of a real network; answers with every check
 * that was made.
 */

import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import type { Check, Verdict } from '../../identity/admit.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim } from '../../identity/claim.ts';
import { parseClaim } from '../../identity/claim.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { policyOf, verb, wantsJson, withPolicy } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { BareIdentity } from './bare-identity.ts';
import { BARE_POLICIES, isBareLine, judgeBareLine } from './bare-identity.ts';

interface VerifyOptions extends OutputOptions, PolicyOptions {
  readonly all?: true;
}

export function verifyCommand(session: Session): Command {
  const command = verb('verify', 'check a claim against a policy')
    .argument('<file>', 'a claim, the output of mine --json, a key file or a line; - for stdin')
    .option('--all', 'make every check, also after the first refusal');
  return withPolicy(command)
    .addHelpText('after', VERIFY_EXAMPLES)
    .action((file: string, options: VerifyOptions) =>
      session.run(options, (terminal) => runVerify(file, options, terminal)),
    );
}

const VERIFY_EXAMPLES = `
Under --policy storj a line holds a node ID in text form or an SPKI in hex, under --policy yggdrasil
a key in hex; --c1 then decides. Exit codes: 0 valid, 1 invalid, 254 not a claim.

Policies:
${columns(POLICY_NAMES.map((name) => [`  ${name}`, NAMED_POLICIES[name].summary])).trimEnd()}

Examples:
  usurp verify key.json --c1 12
  usurp mine --c1 8 --seed 1 --json | usurp verify - --c1 9 --all --json
  echo 12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3S | usurp verify - --policy storj --c1 30`;

async function runVerify(
  file: string,
  options: VerifyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const policy = policyOf(options);
  const text = await readText(file, terminal);
  const name = file === '-' ? 'stdin' : file;
  const all = options.all === true;
  const { verdict, facts } = namingFile(name, () =>
    isBareLine(text, policy)
      ? judgeBareLine(text, policy, { all })
      : { verdict: admit(claimIn(text), policy, { all }), facts: null },
  );
  const answer = { valid: verdict.admitted, checks: verdict.checks, ...facts };
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(verdict, facts));
  return verdict.admitted ? EXIT.holds : EXIT.violated;
}

/** What `read` returns; its refusals get the name of the file before them. */
function namingFile<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${name}: ${error.message}`, error.faults);
  }
}

/** The claim in a document: the document itself, or its member `claim`. */
function claimIn(text: string): Claim {
  const document = readDocument(text);
  const isWrapped = typeof document === 'object' && document !== null && 'claim' in document;
  if (isWrapped && document.claim === null) {
    throw new LabError('schema', 'it holds no claim: the search that wrote it found none');
  }
  return parseClaim(isWrapped ? document.claim : document);
}

function readDocument(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    // One word is a bare identity more often than a damaged document.
    if (!(error instanceof LabError) || !/^\s*[0-9A-Za-z]+\s*$/.test(text)) throw error;
    throw new LabError(error.code, `${error.message}; a bare line needs ${BARE_POLICIES}`);
  }
}

function tableOf(verdict: Verdict, facts: BareIdentity['facts'] | null): string {
  const rows = verdict.checks.map((check) => [
    check.check,
    check.ok ? 'ok' : 'REFUSED',
    bitsOf(check),
    check.ok ? '' : `${check.code}: ${check.detail}`,
  ]);
  const summary = verdict.admitted ? 'valid\n' : `invalid: ${verdict.refusal}\n`;
  return summary + columns(rows) + (facts === null ? '' : columns(rowsOf(facts)));
}

function rowsOf(facts: BareIdentity['facts']): readonly (readonly string[])[] {
  const { idRule, nodeId, text, address, nominalBits, workBits } = facts;
  return [
    ['node ID', `${nodeId} (${idRule})`],
    ...(text === undefined ? [] : [['text form', text]]),
    ...(address === undefined ? [] : [['address', address]]),
    ['difficulty', `${nominalBits} bits`],
    ['real work', `${workBits} bits`],
  ];
}

function bitsOf({ measuredBits, requiredBits }: Check): string {
  return measuredBits === undefined ? '' : `${measuredBits} of ${requiredBits} bits`;
}
