"""Words that are sometimes names: in small letters, or at the start of a sentence, they are not.

They are in the form of `names.searched`, so without accents.
"""

from typing import Final

from .folded import word_set

# Names that are words (will, Mark, May), and words in many longer names.
ORDINARY: Final = word_set("""
ace april art august autumn bank banks bay bear bee bell berry bill bird bishop black blaze bond
brand bridge brook brooks brown buddy bush case cash chance chase cook daisy dash dawn drew ernst
eve faith field forest frank gay gold grace grant green guy happy hardy harmony heather herb hill
honey hope hunter joy june justice king lance long love mai major march mark may mercy miles
miracle oak ocean page park pat patience pleasant price pride prince princess prudence queen rain
rainbow ray read red rich rob rock rose royal sage shepherd short silver skip sky snow sommer song
spring star stone storm story sue summer sunny sunshine swan trinity trip victory wave way west
whisky will winter wood woods young

ability absence abstract academy accept acceptance access accident account accounting accuracy
achieve acquire act action activity adapt add additional address adjust admin administrator advance
advanced advantage adventure advertise advice agency agenda agent agreement aim air airport alarm
album alert allowance alternative american amount analysis analyze angle animal announce annual
anonymous answer anxiety apartment app appeal appear appendix application apply appointment approach
approval approve area argument arm army arrange array arrival arrive article asian ask aspect assess
asset assign assist assistance association assumption asynchronous attach attachment attack attempt
attend attention attitude attribute audience audit australian author authority automatic available
avenue average avoid award awards aware background backup bag balance barrier base basic basis
battle beach beauty bed begin behavior behaviour belief believe benefit best bet bid big bike bit
blended block blog blood board boat body bonus book books border bottle bottom boundary bowl box
boys brain branch break breakfast breath bring british broken broker browse browser bucket budget
bug build building bullet bundle bus business button buy cable cache cafe calculate calculation
calendar call camera camp campaign campus canadian cancel candidate capacity capital capture car
carbon card care career cart castle category cathedral cause caution ceiling cell center central
centre certificate chain chair challenge championship change channel chapter chart chat cheap check
chicken chief chinese choice choose christmas church cinema circle city class classic clean client
climb clinic clock clothes cloud club clue cluster coach coast coat code coffee collaborate
colleague collect collection college column come comfort comment commission commit committee common
community company compare compile complaint complete component computer concept concern concert
conclusion condition conference confidential configurable configuration confirm conflict congress
connect connection consequence consider consumer contact container content contest context continue
contract contrast contribution contributor control conversation convert cookie copy core corporation
correct cost council country county couple course court cover craft create creative creek crew
criteria critical crop cross crowd culture cup current curve customer cut cycle daily damage dance
dark data date day days deadline deal debate debt decide decision deep default define degree delay
delete delivery demand demo department deploy deposit depth describe design desire desk destination
detail detect determine develop development device diagram diet difference difficulty digital
dimension dinner direct direction director directory disaster discount discuss discussion disease
disk dispute distance distribute distributed distribution district doctor document dog domain door
double doubt download downtime draft draw dream drive driver duration duty dynamic east eastern easy
eat economic editor education effect effective efficiency effort electric element elementary email
emergency emotion emotional emphasis employee employer empty energy engage engine english enhanced
enjoy ensure enterprise entire entity entrance entry environment episode equity error escape essay
estate estimate ethical european evaluate evaluation evening event everyday evidence examine
exception exchange exclusive excuse execute executive exercise exhibit existing exit expand
expansion expect expense experience expert explanation explicit explore export express extend
extension external extra extract fact factor failure family fantasy fashion fast fat fault favorite
feature fee feedback feel fellow festival file fill film filter final finance financial find fine
finish fire firm first fish fitness five fix flag flashcard flat flavor flavour flight floor
flow focus folder follow follower font food foot football force forecast form formal format former
formula forum foundation four frame framework free french frequency fresh friday friends full fun
function functional fund future game games gap garden gate gateway gather general generate
generation generic genuine german get gift girls give glance glass global glossary go goal goals
golden good government grade grammar grand graph graphical great grid grocery ground group growth
guest guidance guide guideline gym habit hack half hall handle harbor hard hardware head headline
health hear heart heating height help hero hidden hierarchy high higher highlight highway hint hire
history hit hobby hold holiday holy home homework hook hospital hosting hotel hour house housing
human hurry hypothesis ice idea identical identify identity image imagine immediate impact implement
import improve incident include inclusive income increase independent index indian indicator
individual industry information initial initiative inn inner innovative input inquiry insight
inspect inspection install installer instance institute instruction instructor insurance interaction
interactive interest interface internal international internet interval interview introduce
introduction inventory investment invite invoice island issue italian item iteration japanese job
join joint joke journal journey judge judgment jump junior keep key kid kids kind kitchen knock know
knowledge lab label labor labour lack lake land landscape language laptop large last late launch
launcher law layer layout leader leaflet league learn learning leave lecture left legal lesson let
letter level library licence license life lifestyle light limit line link list listen little live
load loan local location lock log logic login logo look loop loose loss low lower loyalty luck lucky
luggage lunch luxury machine magazine mail main make management manager mandate mandatory manual
manufacturer map margin market marketing mask master match material math matrix matter maximum meal
measure measurement mechanism media medical medication medicine medium meet meeting member
membership memorial men mental mention menu merge message metadata metric middle migrate military
mind mini minimum ministry minor mistake mixture mobile model modern module moment monday money
month monthly mood moon morning motel motion motor mount mountain mouse mouth move movie multiple
muscle museum music mutual mystery myth narrative narrator national natural need negative negotiate
negotiation network new news next night nights node noise norm normal north northern note notebook
notes notice number object objective observe observer obstacle occasion offer office official offset
old online open opera operate operation operations operator opinion opportunity optimize option
optional orange order ordinary organic original other outdoor outer output overview owner pace
pacific pack package packager pain pair palace panel paper paragraph parallel parameter paraphrase
parent part party passage passenger password paste patch path patient pattern payback payment peak
penalty pension people pepper percentage performance performer permission person personal
perspective phase phone photo phrase physical pick pilot pipeline pitch place placeholder plan plate
platform play playbook player plaza plot plugin poem poet point policy poll pool popular population
port portfolio position positive possibility possible post poster potential power practical practice
prefer premium prepare presence present presentation president press pressure preview previous
primary prime principal principle print priority private probability problem procedure process
processing processor produce producer product production professional profile program programme
progress project promise promote prompt proof proper property proposal prospect protect protocol
prototype prove provide public publish publisher pull purchase purpose push put puzzle qualify
quality quantity quarter quarterly query question queue quick quiz quote radio railway random range
ranking rate ratio reaction reader real reality reason receipt receive recent recently recipe
recipient recommend record recovery recruit reduce refactor reference reflect reflective refund
region regional register registration reject relate relation relationship relative release relevant
reliability reliable religion remember remind remote remove rent repeat replace replication reply
repo report repository representation reputation request requirement requirements research
researcher reserve residence resident resolve resort resource response responsive rest restaurant
restore restriction result resume retail return reveal revenue review reviewer revise reward rhythm
right rise risk ritual river road rocket role room root rough round route routine row rub ruin rule
run russian safe safety salad salary sales sample saturday sauce save say scale scenario scene
schedule scheduled schema scholarship school science scope score screen script sea search season
second secondary section sector secure security see seed segment select selection seller send senior
sensor sentence sentiment separate sequence series serious server service services session set
setting setup shape share shield shift shipping shoe shop shot show shower shuttle sibling side sign
signal signature silence similar simple single sit site skill skin sleep slide slot small smart
smile snack social society software solid solo solution solve sort sound source south southern space
spanish spare speak speaker special specific specification speed spend spirit sponsor sport sports
spreadsheet square stable stack staff stage stakeholder stand standard start state statement states
static station statistic stats status stay step stock stop storage store strategic strategy
streaming street strength stress stretch strong structure structured struggle student studio study
stuff style subject submission submit subscribe subscription subtle successful sudden suggest
suggestion suitable suite sum summary sunday super superior supplier supply support surface surprise
survey sustainable sweet switch symbol symptom syntax system table tag take takeaway tale talk tank
target task taste tax tea teach team tech technical technology tell template temple temporary tenant
tension term terms test text theater theatre theme theory therapy thing think thread threat three
throw thursday ticket time times tiny tip title today tone tool top topic total touch tour
tournament tower town track trade traditional traffic trail train trainer training transaction
transfer transform translate translation transparent transport travel treat treatment tree trend
trial trigger trouble trust try tuesday turn tutorial twist two type typical uncertainty understand
union unique unit united universal university upcoming update upgrade upload upper urban urgent
usage use useful user utility vacation valid valley valuable value variable variant variation
variety various vehicle vendor verb verbal verify version vibe victim video view viewer villa
village virtual visa visibility vision visit visitor visual vocabulary voice volume volunteer vote
vulnerability wage wait walk wall want war warehouse warning warranty wash waste watch water
weakness wealth weapon wear weather web webinar wednesday week weekend weekly weight welcome western
white widget width wild win wine winner wisdom wish women wonder work workflow workout
workshop world worry worth write writer year years yoga zone
""")

# Frequent German words, which identify German messages; no names begin with these either.
GERMAN: Final = word_set("""
aber als also am an auch auf aus bei beim bin bis bist bitte da dabei damit danke dann das dass
dein deine dem den denn der des dich die dies diese diesem diesen dieser dir doch dort du ein
eine einem einen einer er es etwas euch euer gab ganz gar gegen geht gerade gern gestern gibt
guten habe haben hallo hast hat hatte heute hier hin ich ihm ihn ihr ihre im immer ins ist ja
jede jetzt kann kannst kein keine kennst kommt können könnte liebe lieber macht machen man mal
mehr mein meine meinem meinen meiner mich mir mit morgen muss nach nein nicht nichts noch nun
nur ob oder ohne schon sehr sein seine seit sich sie sind so soll sollte über um und uns unser
unsere unter viel vom von vor war waren warum was weil weißt wenn wer werde werden wie wieder
will wir wird wirst wo wohin wohnt zu zum zur zwei
""")

# After one of these, a word that may be a name is the word.
ARTICLES: Final = word_set("""
a an the this that my your his her our their der die das dem den des ein eine einem einen einer mein
meine meinen meinem meiner im am zum zur
""")
# After one of these, a month is a month.
DATING: Final = word_set("""
in of on since until till by next last this early late mid from to every each before after im am
seit bis ab anfang mitte ende nächsten letzten diesen jeden
""")
