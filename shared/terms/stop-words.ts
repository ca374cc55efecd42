/** Function words and fillers: neither indexed nor searched. */
export const stopWords = new Set(
  [
    // English
    'a about all also am an and any anyone are as at be been but by can could did do does doing done for from get gets getting go going got had has have',
    'having he her here hers him his how i if in into is it its just like me mine my myself no not of off on or our ours out please shall she should so',
    'some someone something such than that the their theirs them then there these they this those to us very want wants wanted was we were what whats when',
    'where which while who whom whose why will with would yes you your yours youre im ive id ill dont doesnt isnt cant thats theres lets',
    'um uh uhm er erm hmm hm mhm yeah yep okay ok well hi hello hey sorry thanks thank wondering wonder maybe actually basically kinda sorta gonna wanna guys',
    'tell know say much many thing things stuff one ones still bit any like sort kind said ask asking question quick quickly mean really',
    // German
    'aber als also am an auch auf aus bei bin bis bist da dann das dass dein deine dem den denn der des die dies diese diesem diesen dieser dieses doch dort du',
    'durch ein eine einem einen einer eines er es etwas euch eure euer fur gibt habe haben hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren',
    'ihrer im in ist ja jetzt kann kannst konnen konnte konnten konnt machen macht man mal mein meine mich mir mit mochte mochten muss nach nicht noch nun nur ob oder',
    'sehr sein seine sich sie sind so soll sollte und uns unser unsere vom von vor wann war ware waren warum was welche welchem welchen welcher welches wenn wer wie will',
    'wir wird wo wollen wollte wurde wurden zu zum zur ah ahm ahm hallo bitte danke eigentlich halt eben gern gerne wissen sagen frage fragen gerade',
    // French
    'ai au aux avec avez avons ce ces cet cette comment dans de des donc du elle elles en est et eu euh il ils je la le les leur leurs lui ma mais mes moi mon ne nos',
    'notre nous on ou par pas peut peux pour pouvez puis qu que quel quelle quelles quels qui sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre',
    'vous voudrais bonjour merci alors ben bon',
    // Japanese
    'です ます ませ せん した して ては では には とは から まで ので のに って こと もの よう たい ない する すか ある いる えっ ええ あの えと えー ーと でし まし てい たら れば',
  ]
    .join(' ')
    .split(' '),
)
