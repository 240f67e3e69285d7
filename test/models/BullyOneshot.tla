---------------------------- MODULE BullyOneshot ----------------------------
(* The one-shot Bully election (after Garcia-Molina 1982) by the rules of     *)
(* src/election/bully/bully-oneshot.ts, with the bounds of                    *)
(* bully-oneshot.pml. Links are FIFO. All nodes have started before the first *)
(* step. At most Crash nodes crash, and stay down. A detector that never errs *)
(* reports a crash to each live node. If Timed, timers fire and reports come  *)
(* (all reports of a crash together) only when nothing is in flight, else at  *)
(* any moment. The timer that announces is set to 0 ticks, the others to      *)
(* more. So it fires before them, and before reports. At most Timers timers   *)
(* fire; -1 is no bound.                                                      *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Nodes, Crash, Timed, Timers

Ranks == 1..Nodes
Links == {pair \in Ranks \X Ranks : pair[1] # pair[2]}

VARIABLES link,      \* by pair of sender and recipient: message types
          phase,     \* "idle", "await-ok" or "await-coordinator"
          leader,    \* 0 for none
          up,
          timers,    \* by rank: the timers that are set
          reported,  \* by rank: the nodes whose crash was reported to it
          crashes,   \* crashes that may still happen
          fires      \* timers that may still fire; -1 is no bound

vars == <<link, phase, leader, up, timers, reported, crashes, fires>>

Delivered == \A pair \in Links : link[pair] = <<>>

Quiet ==
  /\ Delivered
  /\ fires # 0 => \A me \in Ranks : ~(up[me] /\ "announce" \in timers[me])

(* A node as a record, so that one step may change it several times.          *)
(* `sends` is the sequence of <<recipient, type>>.                            *)
NodeOf(me) ==
  [me |-> me, phase |-> phase[me], leader |-> leader[me],
   timers |-> timers[me], sends |-> <<>>]

Send(node, to, type) == [node EXCEPT !.sends = Append(@, <<to, type>>)]

RECURSIVE SendAll(_, _, _)
SendAll(node, recipients, type) ==
  IF recipients = {} THEN node
  ELSE LET to == CHOOSE rank \in recipients :
                   \A other \in recipients : rank <= other
       IN  SendAll(Send(node, to, type), recipients \ {to}, type)

Announce(node) ==
  SendAll([node EXCEPT !.phase = "idle", !.leader = node.me],
          {rank \in Ranks : rank < node.me}, "COORDINATOR")

Begin(node) ==
  IF node.phase # "idle" THEN node
  ELSE IF node.me = Nodes THEN Announce(node)
  ELSE SendAll([node EXCEPT !.phase = "await-ok", !.timers = @ \cup {"answer"}],
               {rank \in Ranks : rank > node.me}, "ELECTION")

OnElection(node, from) ==
  IF from > node.me THEN node
  ELSE LET answered == Send(node, from, "OK") IN
       IF node.me = Nodes
       THEN [answered EXCEPT !.timers = @ \cup {"announce"}]
       ELSE Begin(answered)

OnOk(node, from) ==
  IF from < node.me \/ node.phase # "await-ok" THEN node
  ELSE [node EXCEPT !.phase = "await-coordinator",
                    !.leader = IF @ = node.me THEN 0 ELSE @,
                    !.timers = (@ \ {"answer"}) \cup {"coordinator"}]

OnCoordinator(node, from) ==
  IF from < node.me THEN Begin(node)
  ELSE [node EXCEPT !.phase = "idle", !.leader = from,
                    !.timers = @ \ {"answer", "coordinator"}]

OnTimer(node, timer) ==
  CASE timer = "answer" -> Announce(node)
    [] timer = "announce" ->
         IF node.phase = "idle" THEN Announce(node) ELSE node
    [] timer = "coordinator" ->
         IF node.phase = "await-coordinator"
         THEN Begin([node EXCEPT !.phase = "idle"])
         ELSE node

OnSuspect(node, about) == IF node.leader = about THEN Begin(node) ELSE node

(* The links after some messages of a node. *)
RECURSIVE After(_, _, _)
After(links, me, sends) ==
  IF sends = <<>> THEN links
  ELSE LET to == Head(sends)[1]
           type == Head(sends)[2]
       IN  After([links EXCEPT ![<<me, to>>] = Append(@, type)], me, Tail(sends))

(* The state of one node is that of the record; its messages join `links`. *)
Becomes(node, links) ==
  /\ phase' = [phase EXCEPT ![node.me] = node.phase]
  /\ leader' = [leader EXCEPT ![node.me] = node.leader]
  /\ timers' = [timers EXCEPT ![node.me] = node.timers]
  /\ link' = After(links, node.me, node.sends)

(* The nodes after their starts, in the order of their ranks. *)
Started(me) ==
  Begin([me |-> me, phase |-> "idle", leader |-> 0, timers |-> {}, sends |-> <<>>])

RECURSIVE StartedLinks(_, _)
StartedLinks(links, me) ==
  IF me > Nodes THEN links
  ELSE StartedLinks(After(links, me, Started(me).sends), me + 1)

Init ==
  /\ phase = [me \in Ranks |-> Started(me).phase]
  /\ leader = [me \in Ranks |-> Started(me).leader]
  /\ timers = [me \in Ranks |-> Started(me).timers]
  /\ link = StartedLinks([pair \in Links |-> <<>>], 1)
  /\ up = [me \in Ranks |-> TRUE]
  /\ reported = [me \in Ranks |-> {}]
  /\ crashes = Crash
  /\ fires = Timers

Deliver(from, me) ==
  /\ link[<<from, me>>] # <<>>
  /\ LET type == Head(link[<<from, me>>])
         rest == [link EXCEPT ![<<from, me>>] = Tail(@)]
     IN  IF ~up[me]
         THEN link' = rest /\ UNCHANGED <<phase, leader, timers>>
         ELSE Becomes(CASE type = "ELECTION" -> OnElection(NodeOf(me), from)
                        [] type = "OK" -> OnOk(NodeOf(me), from)
                        [] type = "COORDINATOR" -> OnCoordinator(NodeOf(me), from),
                      rest)
  /\ UNCHANGED <<up, reported, crashes, fires>>

Timeout(me, timer) ==
  /\ up[me] /\ timer \in timers[me] /\ fires # 0
  /\ Timed => Delivered /\ (timer = "announce" \/ Quiet)
  /\ fires' = IF fires > 0 THEN fires - 1 ELSE fires
  /\ Becomes(OnTimer([NodeOf(me) EXCEPT !.timers = @ \ {timer}], timer), link)
  /\ UNCHANGED <<up, reported, crashes>>

CrashOf(me) ==
  /\ up[me] /\ crashes > 0
  /\ crashes' = crashes - 1
  /\ up' = [up EXCEPT ![me] = FALSE]
  /\ phase' = [phase EXCEPT ![me] = "idle"]
  /\ leader' = [leader EXCEPT ![me] = 0]
  /\ timers' = [timers EXCEPT ![me] = {}]
  /\ UNCHANGED <<link, reported, fires>>

Report(me, about) ==
  /\ ~Timed /\ up[me] /\ ~up[about] /\ about \notin reported[me]
  /\ reported' = [reported EXCEPT ![me] = @ \cup {about}]
  /\ Becomes(OnSuspect(NodeOf(me), about), link)
  /\ UNCHANGED <<up, crashes, fires>>

(* All live nodes get the report of a crash together. *)
RECURSIVE SuspectedLinks(_, _, _)
SuspectedLinks(links, me, about) ==
  IF me > Nodes THEN links
  ELSE SuspectedLinks(IF up[me]
                      THEN After(links, me, OnSuspect(NodeOf(me), about).sends)
                      ELSE links,
                      me + 1, about)

ReportToAll(about) ==
  LET after(me) == IF up[me] THEN OnSuspect(NodeOf(me), about) ELSE NodeOf(me) IN
  /\ Timed /\ Quiet /\ ~up[about] /\ about \notin reported[about]
  /\ reported' = [reported EXCEPT ![about] = @ \cup {about}]
  /\ phase' = [me \in Ranks |-> after(me).phase]
  /\ leader' = [me \in Ranks |-> after(me).leader]
  /\ timers' = [me \in Ranks |-> after(me).timers]
  /\ link' = SuspectedLinks(link, 1, about)
  /\ UNCHANGED <<up, crashes, fires>>

Names == {"answer", "announce", "coordinator"}

Step ==
  \/ \E pair \in Links : Deliver(pair[1], pair[2]) \/ Report(pair[1], pair[2])
  \/ \E me \in Ranks : CrashOf(me) \/ ReportToAll(me)
  \/ \E me \in Ranks, timer \in Names : Timeout(me, timer)

Fairness ==
  /\ \A pair \in Links : WF_vars(Deliver(pair[1], pair[2]))
  /\ \A pair \in Links : WF_vars(Report(pair[1], pair[2]))
  /\ \A me \in Ranks : WF_vars(ReportToAll(me))
  /\ \A me \in Ranks, timer \in Names : WF_vars(Timeout(me, timer))

Spec == Init /\ [][Step]_vars /\ Fairness

----------------------------------------------------------------------------
(* always: two live nodes never lead at the same time. Holds if Timed. *)
OneLeader ==
  \A one, other \in Ranks :
    (/\ up[one] /\ leader[one] = one
     /\ up[other] /\ leader[other] = other) => one = other

(* eventually: all live nodes follow one live leader. Holds if Timed. *)
LeaderElected ==
  <>(\E rank \in Ranks : up[rank] /\ \A each \in Ranks : up[each] => leader[each] = rank)
=============================================================================
