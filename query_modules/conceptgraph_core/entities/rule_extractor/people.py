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
""")
# After a kin word these are names in small letters too: "my dog max".
SMALL_NAMES: Final = SAFE_NAMES | frozenset(
    ("max", "bella", "luna", "rex", "lily", "peter", "milo", "charlotte", "victoria", "jade")
)
# These are names of two letters.
SHORT_NAMES: Final = frozenset(("al", "bo", "ed", "jo", "li", "lu", "mo", "ty", "vi", "wu", "yu"))
FIRST_NAMES: Final = SAFE_NAMES | _ALIKE
