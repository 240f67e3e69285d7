/*
 * Leader election of Raft (Ongaro and Ousterhout, USENIX ATC 2014) by the rules of src/election/quorum/raft.ts,
 * without rules=etcd, PreVote and CheckQuorum, and with one length of a time-out (spreadTicks=1).
 *
 * Links are FIFO channels. All nodes start before everything else. TIMERS timers fire, at any moment, of all nodes
 * together. At any moment after the starts CRASH nodes crash, RECOVER return with what was on their disks, and AMNESIA
 * return without it.
 *
 * assert: no term has two leaders. When nothing is possible, the leaders and terms of ranks 1..NODES are printed, 0
 * being no leader, and - for a node that is down.
 */

#define VOTE 1
#define GRANT 2
#define REFUSAL 3
#define HEARTBEAT 4
#define REPLY 5

#define FOLLOWER 0
#define CANDIDATE 1
#define LEADER 2

#define SIZE (NODES + 1)
#define TERMS 8
#define LINK(from, to) link[(from) * SIZE + (to)]
#define MAJORITY (NODES / 2 + 1)
#define BIT(rank) (1 << (rank))

/* Type and term. */
chan link[SIZE * SIZE] = [QUEUE] of { byte, byte };
/* What is on disk. */
byte term[SIZE];
byte votedFor[SIZE];
/* What is not. */
byte role[SIZE];
byte leader[SIZE];
byte granted[SIZE];
byte refused[SIZE];
bool down[SIZE];
/* Timers. */
bool election[SIZE];
bool heartbeat[SIZE];
/* The node that led each term; 0 for none. */
byte led[TERMS];
byte timers = TIMERS;
byte crashes = CRASH;
byte recoveries = RECOVER;
byte amnesias = AMNESIA;
bool begun = false;
/* Scratch, always 0 between steps. */
byte other, kind, at, count;
bool later, vote;

inline send(sender, target, type, number) {
  assert(nfull(LINK(sender, target)));
  LINK(sender, target)!type, number
}

inline broadcast(speaker, type2, number2) {
  for (other : 1 .. NODES) {
    if
    :: other != speaker -> send(speaker, other, type2, number2)
    :: else
    fi
  }
  other = 0
}

/* Follows, in its term. A leader begins to wait for another one. */
inline retire(loser) {
  if
  :: role[loser] == LEADER -> heartbeat[loser] = false; election[loser] = true
  :: else
  fi;
  role[loser] = FOLLOWER;
  granted[loser] = 0;
  refused[loser] = 0
}

inline enter(member, number3) {
  term[member] = number3;
  votedFor[member] = 0;
  retire(member)
}

inline adopt(voter, number4) {
  if
  :: number4 > term[voter] -> enter(voter, number4); leader[voter] = 0
  :: else
  fi
}

inline countBits(set) {
  count = 0;
  for (other : 1 .. NODES) {
    if
    :: set & BIT(other) -> count++
    :: else
    fi
  }
  other = 0
}

inline stand(candidate) {
  leader[candidate] = 0;
  role[candidate] = CANDIDATE;
  term[candidate]++;
  votedFor[candidate] = candidate;
  granted[candidate] = BIT(candidate);
  refused[candidate] = 0;
  broadcast(candidate, VOTE, term[candidate]);
  election[candidate] = true
}

inline lead(winner) {
  role[winner] = LEADER;
  leader[winner] = winner;
  election[winner] = false;
  assert(led[term[winner]] == 0 || led[term[winner]] == winner);
  led[term[winner]] = winner;
  broadcast(winner, HEARTBEAT, term[winner]);
  heartbeat[winner] = true
}

inline onVote(me, from) {
  later = at > term[me];
  if
  :: later -> enter(me, at); leader[me] = 0
  :: else
  fi;
  vote = (at == term[me] && (votedFor[me] == from || votedFor[me] == 0));
  if
  :: vote -> votedFor[me] = from; election[me] = true; send(me, from, GRANT, term[me])
  :: else -> send(me, from, REFUSAL, term[me])
  fi;
  later = false;
  vote = false
}

inline onBallot(me, from) {
  adopt(me, at);
  if
  :: role[me] == CANDIDATE && at == term[me] ->
     if
     :: (granted[me] | refused[me]) & BIT(from)
     :: else ->
        if
        :: kind == GRANT -> granted[me] = granted[me] | BIT(from)
        :: else -> refused[me] = refused[me] | BIT(from)
        fi
     fi;
     countBits(granted[me]);
     if
     :: count >= MAJORITY -> lead(me)
     :: else ->
        countBits(refused[me]);
        if
        :: count >= MAJORITY -> retire(me)
        :: else
        fi
     fi;
     count = 0
  :: else
  fi
}

inline onHeartbeat(me, from) {
  if
  :: at < term[me] -> send(me, from, REPLY, term[me])
  :: at == term[me] && role[me] == LEADER
  :: else ->
     if
     :: at > term[me] -> enter(me, at)
     :: else
     fi;
     if
     :: role[me] != FOLLOWER -> retire(me)
     :: else
     fi;
     leader[me] = from;
     election[me] = true;
     send(me, from, REPLY, at)
  fi
}

/* A node that has crashed returns. */
inline restart(returning) {
  down[returning] = false;
  election[returning] = true
}

proctype Node(byte self) {
end:
  do
  :: atomic {
       begun && timers > 0 && election[self] ->
       timers--;
       election[self] = false;
       if
       :: role[self] != LEADER -> stand(self)
       :: else
       fi
     }
  :: atomic {
       begun && timers > 0 && heartbeat[self] ->
       timers--;
       if
       :: role[self] == LEADER -> broadcast(self, HEARTBEAT, term[self])
       :: else
       fi
     }
  :: atomic {
       begun && crashes > 0 && !down[self] ->
       crashes--;
       down[self] = true;
       role[self] = FOLLOWER;
       leader[self] = 0;
       granted[self] = 0;
       refused[self] = 0;
       election[self] = false;
       heartbeat[self] = false
     }
  :: atomic { begun && recoveries > 0 && down[self] -> recoveries--; restart(self) }
  :: atomic {
       begun && amnesias > 0 && down[self] ->
       amnesias--;
       term[self] = 0;
       votedFor[self] = 0;
       restart(self)
     }
  od
}

proctype Link(byte source; byte sink) {
end:
  do
  :: atomic {
       begun && nempty(LINK(source, sink)) ->
       LINK(source, sink)?kind, at;
       if
       :: down[sink]
       :: !down[sink] && kind == VOTE -> onVote(sink, source)
       :: !down[sink] && (kind == GRANT || kind == REFUSAL) -> onBallot(sink, source)
       :: !down[sink] && kind == HEARTBEAT -> onHeartbeat(sink, source)
       :: !down[sink] && kind == REPLY -> adopt(sink, at)
       fi;
       kind = 0;
       at = 0
     }
  od
}

proctype Last() {
end:
  timeout -> c_code { report_last(now.leader, now.term, now.down); }
}

c_decl {
  static void report_last(unsigned char *leader, unsigned char *term, unsigned char *down) {
    static unsigned char seen[1 << (6 * NODES)];
    int code = 0;
    for (int rank = 1; rank <= NODES; rank++) {
      code = code * 64 + (down[rank] ? 56 : leader[rank] * 8 + term[rank]);
    }
    if (seen[code]) return;
    seen[code] = 1;
    printf("last:");
    for (int rank = 1; rank <= NODES; rank++) {
      if (down[rank]) printf(" -");
      else printf(" %d/%d", leader[rank], term[rank]);
    }
    printf("\n");
  }
}

init {
  byte one, two;
  atomic {
    for (one : 1 .. NODES) {
      election[one] = true;
      run Node(one);
      for (two : 1 .. NODES) {
        if
        :: two != one -> run Link(one, two)
        :: else
        fi
      }
    }
    run Last();
    one = 0;
    two = 0;
    begun = true
  }
}
