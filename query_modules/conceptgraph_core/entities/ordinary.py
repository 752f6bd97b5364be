"""Words that are written as a name now and then: small, or where a sentence begins, they are none.

Compared as `names.searched` has them, so without accents.
"""

from typing import Final

# Names that are words (will, Mark, May), and words that many a longer name has in it.
_ORDINARY: Final = """
ace april art august autumn bank banks bay bear bee bell berry bill bird bishop black blaze bond
brand bridge brook brooks brown buddy bush case cash chance chase cook daisy dash dawn drew ernst
eve faith field forest frank gay gold grace grant green guy happy hardy harmony heather herb hill
honey hope hunter joy june justice king lance long love mai major march mark may mercy miles
miracle oak ocean page park pat patience pleasant price pride prince princess prudence queen rain
rainbow ray read red rich rob rock rose royal sage shepherd short silver skip sky snow sommer song
spring star stone storm story sue summer sunny sunshine swan trinity trip victory wave way west
whisky will winter wood woods young

academy account action activity add adventure agency agreement air airport album american analysis
annual app application area army article asian ask association australian avenue avoid award
awards balance base basic beach begin believe best big book books box boys break bring british
budget build building business buy cafe call camp campus canadian capital car card care career
castle cathedral cell center central centre challenge championship change channel chapter check
chief chinese choose christmas church cinema circle city class classic clean clinic club coast
code coffee college come commission committee common community company compare computer concert
conference congress consider continue control core corporation council country county course court
cover create creative creek crew culture cup current customer cut daily dance dark data date day
days deep define delivery department describe design desk develop development digital dinner
director discuss district doctor dog double draft draw dream drive east eastern easy eat economic
education electric elementary emergency energy english enjoy ensure environment european evening
event everyday exchange executive exercise experience explore express extra family fashion fast
feedback feel festival file fill film final finance financial find fine finish fire first fish
fitness five fix flight focus follow food football force foundation four framework free french
fresh friday friends full fun fund future game games garden gate gateway general german get girls
give global go goal goals golden good government grand great group guide gym half hall harbor hard
head health hear heart help hero high highway history hit hold holiday holy home hospital hotel
hour house human hurry ice idea image imagine impact include income increase independent indian
individual industry information inn inner insight institute insurance international internet
introduction investment island italian japanese job join joint journal journey jump junior keep
key kids kitchen knock know lab lake land language large last late law league learn learning leave
left legal lesson let level library life light line list listen little live local look low lower
lunch machine magazine mail main make management manager market marketing master match math meal
media medical meet meeting member memorial men mental mention middle military mind mini ministry
mobile model modern moment monday money month moon morning mount mountain move movie museum music
national natural need network new news next night nights north northern note notes number offer
office official old online open opera operations option orange order organic original other
outdoor outer overview pacific palace paper part party path peak people performance personal phase
phone photo physical pick pilot place plan play plaza point policy pool port portfolio post power
practice premium prepare present president press primary prime print private problem process
product production professional profile program programme progress project property provide public
pull push put quality quarter question quick radio railway range rate real receive recently reduce
region regional remember remind report research reserve resort resource response rest restaurant
retail review right rise risk river road role room root round route rule run russian safe safety
sales saturday save say schedule school science sea season second section secure security see send
senior series server service services session set share shop show side sign simple single sit site
sleep small smart social society software solo solution sound source south southern space spanish
speak special speed spend sport sports square staff stage stand standard start state states
station stay step stock stop store strategy street strong student studio study style sunday super
supply support system table take talk target tea teach team tech technology tell temple term test
theater theatre theory thing think three throw thursday time times title today tool top total
touch tour tower town track trade trail train training travel tree trust try tuesday turn two
understand union unit united universal university update upper urban use user valley value version
video view village virtual vision visit wait walk wall want war wash watch water wear web
wednesday week weekend weekly welcome western white wild win wine wish women work workshop world
write year years yoga zone
"""
ORDINARY: Final = frozenset(_ORDINARY.split())

# What German says often, by which its messages are known; no names begin with these either.
_GERMAN: Final = """
aber als also am an auch auf aus bei beim bin bis bist bitte da dabei damit danke dann das dass
dein deine dem den denn der des dich die dies diese diesem diesen dieser dir doch dort du ein
eine einem einen einer er es etwas euch euer gab ganz gar gegen geht gerade gern gestern gibt
guten habe haben hallo hast hat hatte heute hier hin ich ihm ihn ihr ihre im immer ins ist ja
jede jetzt kann kannst kein keine kennst kommt können könnte liebe lieber macht machen man mal
mehr mein meine meinem meinen meiner mich mir mit morgen muss nach nein nicht nichts noch nun
nur ob oder ohne schon sehr sein seine seit sich sie sind so soll sollte über um und uns unser
unsere unter viel vom von vor war waren warum was weil weißt wenn wer werde werden wie wieder
will wir wird wirst wo wohin wohnt zu zum zur zwei
"""
GERMAN: Final = frozenset(_GERMAN.split())

# Before one of these a word that may be a name is the word.
ARTICLES: Final = frozenset(
    (
        *("a", "an", "the", "this", "that", "my", "your", "his", "her", "our", "their"),
        *("der", "die", "das", "dem", "den", "des", "ein", "eine", "einem", "einen", "einer"),
        *("mein", "meine", "meinen", "meinem", "meiner", "im", "am", "zum", "zur"),
    )
)
# Before one of these a month is a month.
DATING: Final = frozenset(
    (
        *(
            "in",
            "of",
            "on",
            "since",
            "until",
            "till",
            "by",
            "next",
            "last",
            "this",
            "early",
            "late",
        ),
        *("mid", "from", "to", "every", "each", "before", "after", "im", "am", "seit", "bis", "ab"),
        *("anfang", "mitte", "ende", "nächsten", "letzten", "diesen", "jeden"),
    )
)
