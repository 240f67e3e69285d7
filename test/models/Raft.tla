-------------------------------- MODULE Raft --------------------------------
(* Leader election of Raft (Ongaro and Ousterhout, USENIX ATC 2014) by the    *)
(* rules of src/election/quorum/raft.ts, without PreVote and CheckQuorum and  *)
(* with one length of a time-out, with the bounds of raft.pml. Links are      *)
(* FIFO. All nodes have started before the first step. At most Timers timers  *)
(* fire, Crash nodes crash, Recover return with what was on their disks, and  *)
(* Amnesia return without it, each at any moment.                             *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Nodes, Timers, Crash, Recover, Amnesia

Ranks == 1..Nodes
Links == {pair \in Ranks \X Ranks : pair[1] # pair[2]}
IsMajority(set) == 2 * Cardinality(set) > Nodes

VARIABLES link,     \* by pair of sender and recipient: messages
          node,     \* by rank: the state of the node, a record
          up,
          led,      \* the pairs of a term and a node that has led it
          fires, crashes, recoveries, amnesias  \* what may still happen

vars == <<link, node, up, led, fires, crashes, recoveries, amnesias>>
bounds == <<fires, crashes, recoveries, amnesias>>

(* Term and vote are on disk; the rest is lost in a crash. *)
Fresh(term, votedFor) ==
  [term |-> term, votedFor |-> votedFor, role |-> "follower", leader |-> 0,
   granted |-> {}, refused |-> {}, election |-> FALSE, heartbeat |-> FALSE]

Message(type, term) == [type |-> type, term |-> term]

Init ==
  /\ node = [me \in Ranks |-> [Fresh(0, 0) EXCEPT !.election = TRUE]]
  /\ link = [pair \in Links |-> <<>>]
  /\ up = [me \in Ranks |-> TRUE]
  /\ led = {}
  /\ fires = Timers /\ crashes = Crash /\ recoveries = Recover /\ amnesias = Amnesia

ToOne(links, me, to, message) == [links EXCEPT ![<<me, to>>] = Append(@, message)]

ToAll(links, me, message) ==
  [pair \in Links |->
     IF pair[1] = me THEN Append(links[pair], message) ELSE links[pair]]

(* Follows, in its term. A leader begins to wait for another one. *)
Retire(state) ==
  [state EXCEPT !.role = "follower", !.granted = {}, !.refused = {},
                !.heartbeat = FALSE,
                !.election = @ \/ state.role = "leader"]

Enter(state, term) == Retire([state EXCEPT !.term = term, !.votedFor = 0])

(* A message with a higher term ends whatever role the node had. *)
Adopt(state, term) ==
  IF term > state.term THEN [Enter(state, term) EXCEPT !.leader = 0] ELSE state

Becomes(me, state) == node' = [node EXCEPT ![me] = state]

Stand(me, state) ==
  LET term == state.term + 1 IN
  /\ Becomes(me, [state EXCEPT !.term = term, !.votedFor = me, !.leader = 0,
                               !.role = "candidate", !.granted = {me},
                               !.refused = {}, !.election = TRUE])
  /\ link' = ToAll(link, me, Message("VOTE", term))

Election(me) ==
  /\ up[me] /\ node[me].election /\ fires > 0
  /\ fires' = fires - 1
  /\ IF node[me].role = "leader"
     THEN Becomes(me, [node[me] EXCEPT !.election = FALSE]) /\ UNCHANGED link
     ELSE Stand(me, [node[me] EXCEPT !.election = FALSE])
  /\ UNCHANGED <<up, led, crashes, recoveries, amnesias>>

Heartbeat(me) ==
  /\ up[me] /\ node[me].heartbeat /\ fires > 0
  /\ fires' = fires - 1
  /\ link' = IF node[me].role = "leader"
             THEN ToAll(link, me, Message("HEARTBEAT", node[me].term))
             ELSE link
  /\ UNCHANGED <<node, up, led, crashes, recoveries, amnesias>>

OnVote(me, from, rest, term) ==
  LET state == Adopt(node[me], term)
      granted == /\ term = state.term
                 /\ state.votedFor \in {0, from}
      answer == Message(IF granted THEN "GRANT" ELSE "REFUSAL", state.term)
  IN
  /\ Becomes(me, IF granted
                 THEN [state EXCEPT !.votedFor = from, !.election = TRUE]
                 ELSE state)
  /\ link' = ToOne(rest, me, from, answer)
  /\ UNCHANGED led

OnBallot(me, from, rest, message) ==
  LET state == Adopt(node[me], message.term)
      isNew == from \notin state.granted \cup state.refused
      granted == IF isNew /\ message.type = "GRANT"
                 THEN state.granted \cup {from} ELSE state.granted
      refused == IF isNew /\ message.type = "REFUSAL"
                 THEN state.refused \cup {from} ELSE state.refused
      counted == [state EXCEPT !.granted = granted, !.refused = refused]
  IN
  IF state.role # "candidate" \/ message.term # state.term
  THEN Becomes(me, state) /\ link' = rest /\ UNCHANGED led
  ELSE IF IsMajority(granted)
  THEN /\ Becomes(me, [counted EXCEPT !.role = "leader", !.leader = me,
                                      !.election = FALSE, !.heartbeat = TRUE])
       /\ link' = ToAll(rest, me, Message("HEARTBEAT", state.term))
       /\ led' = led \cup {<<state.term, me>>}
  ELSE /\ Becomes(me, IF IsMajority(refused) THEN Retire(counted) ELSE counted)
       /\ link' = rest
       /\ UNCHANGED led

OnHeartbeat(me, from, rest, term) ==
  LET entered == IF term > node[me].term THEN Enter(node[me], term) ELSE node[me]
      state == IF entered.role # "follower" THEN Retire(entered) ELSE entered
  IN
  IF term < node[me].term
  THEN link' = ToOne(rest, me, from, Message("REPLY", node[me].term)) /\ UNCHANGED <<node, led>>
  ELSE IF term = node[me].term /\ node[me].role = "leader"
  THEN link' = rest /\ UNCHANGED <<node, led>>
  ELSE /\ Becomes(me, [state EXCEPT !.leader = from, !.election = TRUE])
       /\ link' = ToOne(rest, me, from, Message("REPLY", term))
       /\ UNCHANGED led

Deliver(from, me) ==
  /\ link[<<from, me>>] # <<>>
  /\ LET message == Head(link[<<from, me>>])
         rest == [link EXCEPT ![<<from, me>>] = Tail(@)]
     IN  IF ~up[me]
         THEN link' = rest /\ UNCHANGED <<node, led>>
         ELSE CASE message.type = "VOTE" -> OnVote(me, from, rest, message.term)
                [] message.type \in {"GRANT", "REFUSAL"} -> OnBallot(me, from, rest, message)
                [] message.type = "HEARTBEAT" -> OnHeartbeat(me, from, rest, message.term)
                [] message.type = "REPLY" ->
                     /\ Becomes(me, Adopt(node[me], message.term))
                     /\ link' = rest
                     /\ UNCHANGED led
  /\ UNCHANGED <<up, bounds>>

CrashOf(me) ==
  /\ up[me] /\ crashes > 0
  /\ crashes' = crashes - 1
  /\ up' = [up EXCEPT ![me] = FALSE]
  /\ Becomes(me, Fresh(node[me].term, node[me].votedFor))
  /\ UNCHANGED <<link, led, fires, recoveries, amnesias>>

RecoverOf(me) ==
  /\ ~up[me] /\ recoveries > 0
  /\ recoveries' = recoveries - 1
  /\ up' = [up EXCEPT ![me] = TRUE]
  /\ Becomes(me, [node[me] EXCEPT !.election = TRUE])
  /\ UNCHANGED <<link, led, fires, crashes, amnesias>>

AmnesiaOf(me) ==
  /\ ~up[me] /\ amnesias > 0
  /\ amnesias' = amnesias - 1
  /\ up' = [up EXCEPT ![me] = TRUE]
  /\ Becomes(me, [Fresh(0, 0) EXCEPT !.election = TRUE])
  /\ UNCHANGED <<link, led, fires, crashes, recoveries>>

Step ==
  \/ \E pair \in Links : Deliver(pair[1], pair[2])
  \/ \E me \in Ranks : \/ Election(me) \/ Heartbeat(me)
                       \/ CrashOf(me) \/ RecoverOf(me) \/ AmnesiaOf(me)

Spec == Init /\ [][Step]_vars

----------------------------------------------------------------------------
(* always: no term has two leaders. Violated if Amnesia > 0. *)
OneLeaderPerTerm ==
  \A one, other \in led : one[1] = other[1] => one[2] = other[2]
=============================================================================
