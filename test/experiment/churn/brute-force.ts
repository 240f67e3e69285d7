/**
 * @module
 * The oracle of networks under churn: each ID is an object, each purchase is one ID, windows and differing members are
 * counted anew each time. It shares no code with the lab.
 */

interface Member {
  readonly isBad: boolean;
  readonly endS: number;
  /** Time until which its ID is valid. */
  validS: number;
}

export interface BruteForce {
  readonly trace: readonly (readonly [joinS: number, leaveS: number])[];
  readonly rules: {
    readonly hardness: number;
    readonly window: 'estimate' | number | null;
    readonly estimateAt: number;
    readonly purgeAt: number | null;
    readonly everyS: number | null;
    readonly lifetimeS: number | null;
    readonly renewal: number | null;
  };
  readonly keeps: boolean;
  readonly leaves: boolean;
  readonly rate: number;
  readonly power: number;
  readonly seconds: number;
}

/** What honest nodes and the adversary worked, the purges, the IDs bought and the shares. */
export function bruteForce(asked: BruteForce) {
  const { trace, rules, rate, power, seconds } = asked;
  const lifetimeS = rules.lifetimeS ?? Number.POSITIVE_INFINITY;
  let members: Member[] = trace
    .filter(([joinS]) => joinS <= 0)
    .map(([, endS], index, all) => {
      return { isBad: false, endS, validS: (lifetimeS * (index + 1)) / all.length };
    });
  const coming = trace.filter(([joinS]) => joinS > 0);
  const joins: number[] = [];
  let windowS =
    rules.window === 'estimate'
      ? Math.max(1, coming.at(-1)?.[0] ?? 1) / coming.length
      : (rules.window ?? 0);
  let then = new Set(members);
  let thenS = 0;
  let [honest, spent, purges, bought, changes] = [0, 0, 0, 0, 0];
  let [largestShare, badSeconds] = [0, 0];
  let atStart = members.length;
  let [nowS, savings, wakeS, fundedS] = [0, 0, 0, Number.POSITIVE_INFINITY];
  let testS = rules.everyS ?? Number.POSITIVE_INFINITY;

  const bad = () => members.filter(({ isBad }) => isBad);
  const good = () => members.filter(({ isBad }) => !isBad);
  const price = () =>
    rules.window === null
      ? rules.hardness
      : rules.hardness + joins.filter((joinS) => joinS + windowS > nowS).length;
  const cap = () => Math.floor((power / (1 - power)) * good().length);

  function keep(most: number): void {
    const kept: Member[] = [];
    for (const member of asked.keeps ? bad().reverse() : []) {
      if (kept.length >= most || savings < 1) break;
      kept.push(member);
      savings -= 1;
      spent += 1;
    }
    members = [...good(), ...kept.reverse()];
  }

  function settle(): void {
    largestShare = Math.max(largestShare, bad().length / members.length);
    if (rules.purgeAt !== null && changes > rules.purgeAt * atStart) {
      purges += 1;
      honest += good().length;
      keep(cap());
      changes = 0;
      atStart = members.length;
    }
    if (rules.window !== 'estimate' || nowS === thenS) return;
    const stayed = members.filter((member) => then.has(member)).length;
    const differing = members.length - stayed + (then.size - stayed);
    if (differing < rules.estimateAt * members.length) return;
    windowS = (nowS - thenS) / members.length;
    then = new Set(members);
    thenS = nowS;
  }

  /** IDs that are valid until now retire. First the honest ones are renewed or earned anew, then the adversary renews its own. */
  function retire(): void {
    const due = members.filter(({ validS }) => validS === nowS);
    const honestDue = due.filter(({ isBad }) => !isBad).slice(0, 1);
    for (const member of honestDue.length > 0 ? honestDue : due) {
      const { renewal } = rules;
      if (!member.isBad) {
        honest += renewal ?? price();
        member.validS = nowS + lifetimeS;
      } else if (renewal !== null && asked.keeps && savings >= renewal) {
        savings -= renewal;
        spent += renewal;
        member.validS = nowS + lifetimeS;
      } else members = members.filter((other) => other !== member);
    }
  }

  function act(): void {
    if (wakeS > nowS || rate === 0) return;
    let hasBought = false;
    const needed = () => {
      if (!asked.keeps) return 0;
      if (rules.purgeAt !== null) return cap();
      return rules.everyS === null ? (rules.renewal ?? 0) * bad().length : bad().length;
    };
    const reserve = needed();
    for (;;) {
      const cost = price();
      if (savings - reserve < cost) break;
      savings -= cost;
      spent += cost;
      bought += 1;
      hasBought = true;
      joins.push(nowS);
      changes += asked.leaves ? 2 : 1;
      if (!asked.leaves) {
        members.push({
          ...{ isBad: true, endS: Number.POSITIVE_INFINITY },
          validS: nowS + lifetimeS,
        });
      }
      settle();
    }
    if (hasBought && rules.window !== null) wakeS = nowS + windowS;
    // In a quiet time it waits until it can pay for a twentieth of the members, one after the other.
    let cost = needed();
    for (let more = 0; more === 0 || more < Math.floor(members.length / 20); more += 1) {
      cost += price() + (rules.window === null ? 0 : more);
    }
    fundedS = cost > savings ? nowS + (cost - savings) / rate + 1e-9 : Number.POSITIVE_INFINITY;
  }

  act();
  for (;;) {
    const leaveS = Math.min(...members.map(({ endS }) => endS));
    const joinS = coming[0]?.[0] ?? Number.POSITIVE_INFINITY;
    const retireS = Math.min(...members.map(({ validS }) => validS));
    const nextS = Math.min(
      leaveS,
      joinS,
      testS,
      retireS,
      ...[wakeS, fundedS].filter((at) => at > nowS),
    );
    const untilS = Math.min(nextS, seconds);
    badSeconds += ((untilS - nowS) * bad().length) / members.length;
    savings += rate * (untilS - nowS);
    nowS = untilS;
    if (nextS >= seconds) break;
    if (nextS === joinS) {
      const [, endS = 0] = coming.shift() ?? [];
      honest += price();
      joins.push(nowS);
      changes += 1;
      members.push({ isBad: false, endS, validS: nowS + lifetimeS });
    } else if (nextS === leaveS) {
      members = members.filter(({ endS }) => endS !== leaveS);
      changes += 1;
    } else if (nextS === retireS) retire();
    else if (nextS === testS) {
      honest += good().length;
      testS += rules.everyS ?? 0;
      keep(Number.POSITIVE_INFINITY);
    }
    settle();
    act();
  }
  return { honest, spent, purges, bought, largestShare, badSeconds, members: members.length };
}
