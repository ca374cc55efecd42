/** Stems of everyday words: a text that has one is found by it, but a text without it may answer as well. */
import { fold, stem } from '../../terms/word-forms.ts'

export const commonWords = new Set(
  [
    // English
    'able actual again ago already always another answer around away back bad because become before began believe best better big bought bring brought buy call came',
    'care change check come correct cost couple course currently day days deal decide depend describe different done each early easy either else end enough even ever every',
    'exactly explain far feel few figure find fine first forgot found friend front full further gave give given good great guess half hand happen happy hard hate hear heard',
    'help hold hope husband idea immediately important instead interested job keep kept kind last late later least leave left less let line list little live long look lot',
    'love made main make man matter mention mind minute miss mister misses mom dad morning most mother move much name near need never new next nice normal nothing notice now number',
    'often old once only open order other otherwise ought out over own part partner people perhaps person phone pick place plan please point possible pretty probably problem',
    'provide put quite rather reach read ready real recommend regard remember right run same saw second see seem sell send sense sent several show showing side since sit small',
    'somebody somehow sometimes somewhere soon sort speak specific spoke stand start stay still stop suppose sure take taken talk than think thought through time times tiny today',
    'together told tomorrow tonight too took top total totally toward tried true try turn two type under understand until up upon use used usual usually wait walk watch way week',
    'well went whether whole wife without woman word work world worried worry wrong year yesterday yet young',
    // German
    'abend ab allerdings alt andere anders anfang angeblich angerufen anruf anrufen ansonsten antwort arbeit arbeiten art aufhoren ausserdem bald beide beispiel bekomme bekommen benutzen',
    'bereits besser best bestimmt bis bleiben brauche brauchen brauchte bringen bringe bisschen bloss dabei dafur dagegen daher damals damit danach dank daran darauf daruber darum',
    'davon dazu denke denken deshalb deutsch direkt draussen drin durfen darf ebenfalls eher ehrlich einfach einige einmal ende endlich erst erste erzahlen falls fast fehlen finde',
    'finden folgen freund freundin fruh ganz gar gebe geben gegen gehe gehen geht gehoren gehort gemacht genau genug gesagt gestern gesehen gleich grade gross gute guten guter gutes heisst',
    'helfen herr frau heute hin hinter hoffe holen horen idee immer irgendein irgendwann irgendwas irgendwie irgendwo jede jeder jedes jemand kaufen kenne kennen kleine komme kommen',
    'kommt konkret kriege kriegen krieg kurz lange langer lassen lauft leben leicht leider letzte leute lieber liegen los manchmal mann mehr meine meinen meint meiste melden mensch mitnehmen',
    'moment morgen musste nachher nachmittag namlich name natur naturlich nehme nehmen nennen nett neu neue nichts nie niemand nochmal normal normalerweise nutzen ohne ordnung ort paar passiert',
    'platz plotzlich probieren quasi raus recht reden reicht rein richtig ruhig sache sachen samt schaffen schau schauen schicken schlecht schlimm schnell schon schreiben sehen seit selber',
    'selbst sicher siebe sitzen sofort sogar sonst spat sprechen stehen stehe steht stelle stimmt stuck suche suchen tag tage telefon treffen trotzdem tun ubrigens uhr um ungefahr unten unter unterwegs',
    'verstehe verstehen versuchen viel viele vielleicht vorbei vorher vormittag warten weg weil weiss weit weiter wenig wenigstens werden wichtig wieder wieso wirklich woher wohin wohne wohnen wort',
    'wunsche zahlen zeigen zeit zeug ziemlich zuerst zufallig zuletzt zusammen zuruck zwischen',
    // French
    'acheter aller alors apres arrive arriver assez attendre aujourd aucun aussi autre avant beaucoup besoin bien bientot chaque cherche chercher chez chose combien comme connaitre contre coup croire',
    'demain demander dernier dire dites dit doit encore enfin entre envoyer exactement facile faire faut femme fois genre grand heure hier homme ici jamais jour juste lequel long maintenant mal',
    'mari matin meme mettre moment monde mieux moins nom nouveau ouais parce parle parler part partir passer pendant penser personne petit peu plus plutot possible pourquoi prendre premier pres prochain',
    'quand quelque quelqu rien savoir sais seulement soir souvent suis sur temps tenir toujours tout toute tous tres trouve trouver trop vers veux vite voila voir vrai vraiment',
  ]
    .join(' ')
    .split(' ')
    .map((word) => stem(fold(word))),
)
