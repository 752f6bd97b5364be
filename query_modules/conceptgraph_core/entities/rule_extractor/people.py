"""First names, titles, and words for people without a name."""

from typing import Final

from ..language.folded import word_set

# A person has one of these, so each is somebody even without a name.
CLOSE: Final = word_set("""
mother father sister brother daughter son grandmother grandfather wife husband girlfriend boyfriend
fiance partner boss roommate dog cat therapist baby
""")
# A fact about one of these has this predicate, with a single value at a time.
SPOUSES: Final = frozenset(("wife", "husband"))
ADJECTIVES: Final = word_set("""
little big older younger elder old new best good dear late twin half ex great close dead sweet
oldest youngest former kleine kleiner kleinen große großer großen ältere älterer älteren jüngere
jüngerer jüngeren beste bester besten gute guter alte alter alten neue neuer neuen liebe lieber novo
nova nuevo nueva nouveau nouvel nouvelle mejor melhor meilleur meilleure querido querida
""")
TITLES: Final = frozenset(
    (
        *("dr", "mr", "mrs", "ms", "prof", "professor", "herr", "herrn", "frau", "fr", "hr", "sir"),
        *("dra", "sr", "sra", "señor", "señora", "senhor", "senhora", "dona", "doña", "madame"),
        *("mme", "monsieur"),
    )
)

SAFE_NAMES: Final = word_set("""
aaron abby abigail adam adrian agnes ahmed aiden aisha akira alan albert alejandro alex alexander
alexandra alfred ali alice alicia alina alison allison alyssa amanda amelia amir amy ana anastasia
andre andrea andreas andrew andy angela angelika anika anita anja anke ann anna annalena anne
annette annika anthony antje anton antonia antonio anya arjun arne arthur astrid audrey axel barbara
bastian beate beatrice becky ben benjamin bernd bernhard beth bettina bianca birgit bjorn bob boris
brandon brenda brian britta bruno caleb cameron carina carl carla carlos carmen caroline carolyn
catherine cathy cecilia celine charles charlie chloe chris christa christian christiane christina
christine christoph christopher claire clara claudia clemens connor conny corinna craig cynthia
dagmar dan daniel daniela danielle dave david deborah denise dennis derek diana diane diego dieter
dirk dmitri dominic dominik donald donna doris dorothea doug douglas dylan edward eileen elena eli
elias elisa elisabeth elizabeth ella ellen elliot elsa emil emilia emily emma eric erica erik erika
erin esther ethan eugene eva evelyn fabian fatima felicia felix fernando fiona florian francesca
francis frauke frederick frederik frieda friedrich fritz gabriel gabriele gareth gary gavin george
gerald gerd gerhard gina giovanni gisela gordon greg gregor gregory greta gudrun guido gunter günter
hanna hannah hannes hans harald harold harry hassan heather heidi heike heiko heiner heinrich heinz
helen helena helga helmut henning henrik henry herbert hermann hilda hiroshi holger horst hubert
hugo ian ibrahim igor ilse ines inga inge ingo ingrid irene isaac isabel isabella ivan jacob jakob
james jamie jan jana jane janet janina janine jasmin jasmine jason javier jeff jeffrey jennifer
jenny jens jeremy jerry jesse jessica jill jim jimmy joachim joan joanna jochen joe joel johann
johanna johannes john johnny jonas jonathan jorge jose josef joseph josh joshua juan judith judy
julia julian juliane julie justin jutta jürgen kai karen karin karl karla karsten kate katharina
katherine kathleen kathrin kathy katie katja katrin katy kelly ken kenji kenneth kenta kerstin kevin
kim kimberly klaus konrad kristin kristina kurt kyle lara larry lars laura lauren lea leah lena leni
lennart leo leon leonard leonie liam lina linda lindsay lisa lisbeth liz lorenzo louis louisa louise
luca lucas lucia lucy luis luisa lukas luke lydia maggie maja malte manfred manuel manuela marc
marcel marco marcus margaret margarete maria mariam marianne marie marina mario marion marius markus
marlene marta martha martin martina marvin mary mateo mathias matt matthew matthias maurice
maximilian megan mehmet melanie melissa mia micah michael michaela michelle miguel mike mila milan
miriam mohamed mohammed moritz muhammad nadine nadja nancy naomi natalie natasha nathan neil
nicholas nick nico nicolas nicole niklas nils nina noah nora norbert olaf oleg olga oliver olivia
omar oscar oskar otto pablo pamela pascal patricia patrick patrik paul paula pauline pedro petra
philip philipp phoebe pia priya rachel raj ralf ralph ramona raphael raquel rebecca regina reiner
reinhard renate ricardo richard rita robert robin roger roland rolf roman ron ronald rosa roy rudolf
ruth ryan sabine sabrina sally sam samantha samuel sandra sara sarah sascha scott sean sebastian
selina sergei sharon sheila shirley sigrid silke silvia simon simone sofia sofie sonja sonya sophia
sophie stefan stefanie steffen stella stephan stephanie stephen steve steven stuart susan susanne
sven svenja sybille takeshi tamara tanja tanya tara tatjana ted teresa thea theo theodor theresa
thomas thorsten tiffany till tim timo timothy tina tobi tobias todd tom tomas tommy toni tony
torsten tracy trevor tyler udo ulf uli ulla ulrich ulrike ursula uta ute uwe valentina vanessa vera
verena veronika viktor viktoria vincent vivian vladimir walter waltraud wendy werner wilhelm william
willy wolfgang xavier yuki yuko yvonne zachary zoe zoey adelheid adriana afonso agathe agnès agustín
aileen aisling aitana albrecht alejandra alessandra alessandro alexis alfonso alfredo aline almut
alois alvaro alys amandine amaya amina anabela anaïs andré andrés annelie annelore anouk antoine
antónia antónio apolline ariane armando armin arnaud arno arturo aurelia aurélie aurélien axelle
aylin baptiste bastien beatriz benedikt benedita benita benoît berenike berit bernadette bernardo
bertha birte björn blandine bridget brigitte bárbara bärbel bérénice camila camille carlota carolina
casimir catarina cecília chantal charlène chiara christophe ciara clarice clotilde cláudia clémence
clément coline constança corentin corinne cornelia cornelius cristiana cristina cristóbal cyril
cândida cécile célia céline césar damian damien daphne delphine detlef diogo doreen duarte débora
désirée dörte eckhard edeltraud edgar edith eduarda eduardo edwin egon ekkehard elfriede eliane elke
elodie elvira emanuel emilio emmanuel encarna encarnación enrico enrique erhard ernesto esteban
estelle eugénie eulalia fabiana fabienne fabrice federico felicitas felipe fernanda filipa filipe
finn flavia floriane francisca francisco franziska françois françoise freya frida friederike
friedhelm fátima félix gabriela gaëlle geneviève georg georges gerda gerlinde gertrud ghislaine
gilbert gilles giulia gonzalo gonçalo grégoire guilherme guillaume guillermo gustav gustavo gérard
hadrien hannelore hartmut hedda hedwig heidrun heinke helder helmine henriette henrique herta hilde
hildegard hortense hubertus héctor hélder hélène iago ignacio iker ilka ilona ingeborg ingeburg
inácio inés inês irma irmgard isabelle isaura isidora ivo iván jacqueline jacques jaime jannis
jeanne joana joaquim joaquín josefa josefina josephine jost josé joséphine joão joël jules juliano
julien juliette julio justine jérôme jördis jörg júlia júlio kaspar katalin katinka kilian
konstantin korbinian laia laure laurence laurent leandro leila leire leonor leopold lidia liesbeth
lieselotte lilian liliana lorena lotta lotte lourdes luciana lucie lucien lucienne lucía ludivine
ludmila ludwig luzia luís luísa léa léonie lúcia macarena madalena mafalda magali magdalena maike
maite maité maleen malik malina manoel manon marcela marcelle marcelo margaux margit margot mariana
maribel mariella marilena marisa marisol marlies martim mathieu mathilde matilde matteo mauricio
mechthild melina mercè milena mireille moira monica monika montserrat muriel márcia mélanie mónica
nadège natalia nathalie natália nerea neus niamh nicolau nicolás niels noelia noémie nuno nuria
nélson núria octavio océane odette odile ophélie oriol orlando ottilie paco paola pascale patrícia
paulina paulo perrine philippe pierrette priscila priyanka quentin rafael raimund ramiro ramón raul
raúl rebeca reinhilde reinhold renata renaud rené ricarda rieke rodrigo rogério román ronja roque
rosalie rosalía roswitha rui rute régine rémi rómulo salomé samira sandrine saskia selma sergio
siegfried sieglinde simona simão siobhan sofía solange solène soraia stéphane stéphanie suse sylvain
sylvie sébastien sérgio séverine sílvia sören tatiana telma teodora thibault théo théodore thérèse
tiago tilda timea timotheus tomás tomé traudl trude tânia unai undine valentin valentín valeria
valérie vasco verónica vincenzo virgilio virginie vitor véronique vítor walburga waldemar wiebke
wiltrud wolfram xabier xana ximena yann yannick yasmin yolanda yves yvette zacarias zita zélia
álvaro ángela élise élodie éloïse émile émilie évelyne úrsula
aaliyah abena abigael abram achim adele adelina adeline aditi adriano adrien agata agnieszka ahmad
aida aidan aiko aimee ajay akua alasdair alastair alec aleksandra alessia alfie alfons alistair
amaia amara amelie amit amparo anastasiya andrei andreia aneta angus anish anneke annelies annemarie
anselmo ansgar anthea aoife archie ariadne ariana arnold arvid asha aslı aurelio ayesha ayşe azra
barney bartholomew beatrix becca belinda benito benno benoit berenice bernice bertram bess beverley
bjarne bodo bogdan bram brenna bridie bronwyn bruna bryan bryony caitlin callum carlo carole carsten
cassie catalina cecilie cedric celina chandra charlene chidi chloé cillian clarissa clive colin colm
conor constantin constanze cordula cosima cristian dagny daisuke damián damon danilo danuta dario
darius darren deepak delia demetrius denis denisa derya desmond detlev dietmar dinah dmitry
donatella donovan dorota dorothee dorothy dorte dwayne eamon edda eddie edna edwina ekin eleanor
eleni eleonora ellie elliott eloise elsbeth elspeth emanuela emre enid enno eoin erling ernestine
erwin esme ethel etienne eugenia eunice eva-maria evan evangeline everett ewan fabiola fadi fahad
fairuz farah farid fatma federica femke fenja ferdinand fergus ferhat fiete filip filippa filippo
finley finnegan flavio freddie fredrik friederich garry geoffrey geraint geraldine gerard gesa
gesche gesine gianna gideon giles gillian ginny giorgio gisele giuliana giulio giuseppe gladys
glenda gottfried graham grete griet grzegorz gwen gwendolyn gwyneth gönül haakon habib haleh hamid
hamish hanno harriet hartwig hasan hauke haukur hazim helge hendrik henni henrietta henrike hermine
hettie hilary hilke huda humberto hussein ibolya idris ilaria imani imelda imke imogen imran inaya
inken ioana iolanda iona ismael itziar izabela iñaki jaap jacek jacinta jaden jago jakub jale jamal
jamila janek janice janne jannik jared jarek jarvis javi jayden jeanette jeannette jemima jenna
jennie jerome jerzy jesper jette jhon jiri jo-ann joakim joanne jocelyn joelle johan jolanta jonah
jonte joost joris josette josie jovan joyce juana juanita judit judite jule juliet jussi jytte kaan
kamal kamila karim karina karoline kasia katharine katherina kathrine kayla keiko keira keith kemal
khadija khalid kieran kirsten kirsty klaudia klemens knut kofi konstanze kordula korinna kristian
kristof krystyna krzysztof kunal kuno kwame kyra lachlan laila lakshmi lambert larissa lasse lauritz
lavinia layla leander leanne leif lena- marie lennard leopoldo leroy leticia lettie liane lieke
lilly lionel lisette livia liviu ljiljana lonneke lorenz loretta lorna lorraine lotti louane lucian
luciano lucille luigi lukáš lutz lyudmila maarten mabel maciej maddie madeleine maeve magda mahmoud
mairead maisie malachi malcolm malena malene mallory malwina manfredo marcell marcia marga margret
margrit mariano marieke marielle marijke marika marisela marjorie marlon maryam matej mathilda
matilda matthijs maud maureen maurits mavis maxime mehdi meike melinda mette micaela michal michał
mikael mikkel miklós mirjam mohamad mohan mona morag morten mortimer muhammed murat murdo mustafa
myra myriam márta nadiya nanette naoki naoko natalya natascha nathaniel naveed neele neeraj nestor
nevin ngozi niall nicky nicoletta nicolette nigel nikhil nikita nikolai nikolas nilufer noelle nuala
nuri okan oleksandr olena oliwia ollie oluwaseun onno orla orlaith orsolya ortrud osman osvaldo
ovidio palmira paolo pascual patrice patrizia patty paulette pawel pekka penelope petros petrus
philippa philomena phyllis pieter piotr prakash priscilla quirin radek rafal raffaella ragnar rahel
rahul raimondo raisa ramesh ramon ranjit rashid rayan raymond rebekka regine rhiannon rhoda rhys
rian rina roald roberta roberto roderick rodney rogelio roisin romina romy ronnie rosalind rosamund
rosanna roseanne rosemarie rosie rosina rowan rowena roxana roxanne rudi rudolph rukmini rupert
sabina sadia saeed sahar sally-ann salma salman samir sanjay sanna santino saoirse saïd seamus
sebastien selin senta seraphina sergey seyma shane shanice shantel shaun shauna sheena shelly shirin
shivani shreya sibylle siegmund sigurd silja silvana simeon simón sinéad siobhán sixtus solveig
soraya stan stanislav stavros stefania stefano stina sunita suresh svantje svea svetlana swantje
swetlana sylvester sylvia szymon sönke søren tabea tadeusz talia tamsin tarek tariq teun thaddeus
thandi theodora theresia thiago thies thomasina thorben tilly tilo timmy tjark tomasz tomek tomke
toralf torben torge toril trina trish tristan tunde ulrik ulrika umberto ursel uschi valentijn
valerie vanda vasil vasily vicki vicky vigdis vijay viktorija vilma vinzenz viorica vivien volker
walid waltraut wendelin wenke wilfried wilhelmina willem wilma winifred wojciech wojtek xander
xandra yael yannik yara yasmina yasmine yildiz ylva yolande yosef youssef yuri yusuf zadie zahra
zane zehra zeynep zlatan zofia zora zsófia zubin zuzana
akari akiko asuka chihiro daiki emiko haruka haruki haruto hiroko kaito kazuki kazuo makoto masako
mayumi megumi michiko naoto noriko riku ryota sachiko satoshi shinji shota sota takumi tatsuya
tomoko yui yumiko
""")
# First names that are also words or places: their capital must be within a sentence.
_ALIKE: Final = word_set("""
alba alma angeles april august aurora austin bella belén bill blanca carol charlotte chelsea
clemência constance consuelo crystal dawn dean dolores domingos don drew dulce esperanza faith
florence franco frank gaspar georgia germán glen gloria grace grant guadalupe guy holly hope iris
ivy jack jade jean jordan joy june lily luna madison margarida margarita marguerite mark max may
melody mercedes merle milagros milo nadia olivier paloma pat pearl penny pete peter pierre pilar
rainer ray rex rich rob rocío romain romane rosario rose ruby salvador sancho sandy santiago
savannah serena soledad sue summer sydney vicente victoire victor victoria viola violet violeta
violette virginia will ángel
alexa amal angelina ashley basil bonnie cassandra cecil claude conrad cora demi dominique emine ezra
flora flynn hector jessie lana lewis lola magnus mandy maya melvin millie milton mina nell noel
norman otis owen pepe phil pippa poppy ravi rory rufus sasha scarlett sidney silas stanley tess
titus wanda willow
""")
# After a kin word these are names in small letters too: "my dog max".
SMALL_NAMES: Final = SAFE_NAMES | frozenset(
    ("max", "bella", "luna", "rex", "lily", "peter", "milo", "charlotte", "victoria", "jade")
)
# These are names of two letters.
SHORT_NAMES: Final = frozenset(("al", "bo", "ed", "jo", "li", "lu", "mo", "ty", "vi", "wu", "yu"))
FIRST_NAMES: Final = SAFE_NAMES | _ALIKE
