/**
 * @module
 * The cheapest attack as text: a table of the placements, sentences, and the list of actions.
 */

import { checkedInstance } from '../../experiment/checks/answer.ts';
import type { CheapestAnswer } from '../../experiment/checks/cheapest-answer.ts';
import type { CheapestAttack, CostlyAttack } from '../../experiment/checks/cheapest-attack.ts';
import { placedRequest } from '../../experiment/checks/cheapest-attack.ts';
import { formatCount } from '../../operations/figures.ts';
import { columns, textColumns } from '../shell/layout.ts';
import { instanceText, outcomeLines } from './report.ts';

/** The words of an outcome. */
const VERDICTS = {
  reached: 'reached',
  exhausted: 'exhausted',
  capped: 'not decided',
  contains: 'contains a placement that works',
  open: 'not checked',
} as const;

export function cheapestText(
  attack: CostlyAttack,
  { cheapest, judged }: CheapestAttack,
  answer: CheapestAnswer,
): string {
  const rows = answer.placements.map(({ where, ranks, attempts, hashes, ...checked }) => [
    where,
    ranks.join(),
    formatCount(attempts ?? Number.POSITIVE_INFINITY),
    formatCount(hashes ?? Number.POSITIVE_INFINITY),
    VERDICTS[checked.outcome],
    checked.states === 0 ? '' : formatCount(checked.states),
    checked.actions === null ? '' : String(checked.actions),
  ]);
  const head = ['identities', 'ranks', 'attempts', 'hashes', 'goal', 'worlds', 'actions'];
  const lines = [headLine(attack, judged), '', columns([head, ...rows]).trimEnd(), ''];
  lines.push(textColumns(answer.sentences.map((sentence) => [sentence])).trimEnd());
  if (cheapest !== null) {
    const { request, result } = cheapest.outcome;
    const about = checkedInstance(request, true);
    lines.push('', instanceText(about), ...outcomeLines(about, result));
  }
  return `${lines.join('\n')}\n`;
}

/** The line that describes what all checks have in common. */
function headLine(attack: CostlyAttack, judged: CheapestAttack['judged']): string {
  const { network, behaviours, check } = attack;
  const [placement] = judged.flatMap((each) =>
    each.placement.below.length === 0 ? [] : [each.placement],
  );
  if (placement === undefined) throw new RangeError('"judged" expected a placement');
  const about = checkedInstance(placedRequest(attack, placement), true);
  const adversary = behaviours.length === 0 ? [] : [`adversary with ${behaviours.join(' and ')}`];
  const honest = network.nodeIds.length;
  const nodes = `${honest} honest ${honest === 1 ? 'node' : 'nodes'}`;
  return instanceText(about, [nodes, check.level ?? 'L0', ...adversary]);
}
