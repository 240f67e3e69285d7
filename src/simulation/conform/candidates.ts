/**
 * @module
 * Whether a definition lists the members of its messages that name a candidate. A node that is named
 * there must have signed its candidacy, so that a member that is left out can be forged at every level of
 * authentication. Two facts show such a member: a Byzantine relay puts another rank into it, or the
 * messages that forge a statement about a node hold that node in it.
 */

import { carriedIn } from '../../election/authentication/message-forms.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { Message } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import type { Finding, Subject } from './finding.ts';
import { failed, guarded, held } from './finding.ts';

const ABOUT = toRank(5);
const FORGED = { about: ABOUT, home: toRank(4), epoch: 1, serial: 1, ringNodes: 5 };
const CHECK = 'lists the members that name a candidate';

/** Checks `candidates` of every message type. */
export function checkCandidates({ protocol }: Subject): Finding {
  return guarded(CHECK, () => {
    const [problem] = [...alteredIn(protocol), ...forgedIn(protocol)];
    const types = Object.keys(protocol.messages).length;
    return problem === undefined ? held(CHECK, `${types} message types`) : failed(CHECK, problem);
  });
}

/** Members into which a Byzantine relay puts a rank. */
function alteredIn({ messages }: Protocol): readonly string[] {
  return Object.entries(messages).flatMap(([type, { alterations, candidates }]) =>
    Object.entries(alterations ?? {}).flatMap(([name, how]) =>
      how === 'none' || how === 'greatest' || candidates.includes(name)
        ? []
        : [unlisted(type, name, `"alterations" puts ${how} into it`)],
    ),
  );
}

/** Members in which a forged statement names the node that it is about, if no candidate names it. */
function forgedIn({ messages, forgery }: Protocol): readonly string[] {
  const statements = { announcement: forgery.announcement, candidacy: forgery.candidacy };
  return Object.entries(statements).flatMap(([what, forged]) =>
    typeof forged === 'string' || forged.names === 'sender'
      ? []
      : forged.messages(FORGED).flatMap((message) => {
          const named = carriedIn(message) ?? message;
          const facts = messages[named.type];
          const naming = namesOf(named);
          if (facts === undefined || naming.some((name) => facts.candidates.includes(name)))
            return [];
          return naming
            .filter((name) => /^ranks?$/.test(String(facts.members[name])))
            .map((name) =>
              unlisted(named.type, name, `the forged ${what} names its subject in it`),
            );
        }),
  );
}

/** The members that contain the subject. */
function namesOf(message: Message): readonly string[] {
  return Object.entries(message).flatMap(([name, value]) =>
    [value].flat().includes(ABOUT) ? [name] : [],
  );
}

function unlisted(type: string, name: string, why: string): string {
  return `"messages.${type}.candidates" lacks ${name}: ${why}`;
}
