"""The English words that say nothing about the subject of a text.

They are function words, and phrases that keep a conversation going; no verb with a meaning of its
own. The library for other languages lists 1,333 for English, with "computer" and "home". The
classic list of 174 has no numbers and no words that are only spoken. On two sets of conversations
these 350 found a tenth more answers than the first list. They did not lose the answers that the
second loses in long messages (`python -m benchmarks.retrieval` measures it).
"""

from typing import Final

_WORDS: Final = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose which what whatever whichever whoever
anybody anyone anything everybody everyone everything nobody none nothing somebody someone
something all another any both each either enough every few least less lot lots many more most
much neither no one ones other others own plenty same several some such
two three four five six seven eight nine ten first second third last next

am is are was were be been being have has had having do does did doing done
can could may might must ought shall should will would cannot
aren couldn didn doesn don hadn hasn haven isn mustn needn shan shouldn wasn weren won wouldn
ain ll re ve gonna gotta wanna

about above across after against along alongside amid among around as at before behind below
beneath beside besides between beyond by despite down during except for from in inside into
like near of off on onto out outside over past per since than through throughout till to toward
towards under underneath until up upon via with within without
and but if or nor so yet although because though unless whereas whether while
when whenever where wherever why how
however therefore thus hence moreover furthermore nevertheless otherwise instead

again ago almost already also always anyway anyways anywhere apart aside away back even ever
everywhere far further here just later maybe meanwhile merely mostly namely never not now
nowhere often once only perhaps quite rather really seldom simply somehow sometimes somewhat
somewhere soon still then there together too usually very well
actually basically certainly clearly currently definitely especially exactly fully generally
hopefully likely mainly nearly normally obviously particularly possibly probably recently
regarding seriously slightly specifically sure surely totally truly

able best better different else example good great little new right thing things way ways whole
hello hey hi oh ok okay please sorry thank thanks welcome yes yeah yep
"""

STOP_WORDS: Final = frozenset(_WORDS.split())
