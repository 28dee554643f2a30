"""The small words and verbs by which a short fact shows its language."""

from hippod.language import word_set

TELLING = {
    "en": word_set(
        "the a an is are was were and of to for with not no longer prefers likes loves hates "
        "enjoys lives works uses has does doesn t s his her their now at on over than more moved "
        "in as be been so that by from it he she they about finds thinks still"
    ),
    "de": word_set(
        "in der die das den dem ein eine einen ist sind und nicht kein keine keinen mehr mag "
        "liebt spielt fährt macht geht kauft liest kommt spricht hasst wohnt lebt arbeitet nutzt "
        "benutzt verwendet hat trinkt isst jetzt lieber gern gerne als bei im am auf von für mit "
        "nach findet bevorzugt immer sehr heißt läuft wurde nur an berichtet vertraut zieht"
    ),
    "es": word_set(
        "juega lee compra va hace habla el la los las un una es está son y no ya le gusta encanta "
        "prefiere odia vive trabaja usa utiliza tiene ahora en con para del al su que muy siempre "
        "más se llama bebe toma come por mudó dejó nunca a empezó empleada empleado mudado confía "
        "quiere nuevo nueva"
    ),
    "fr": word_set(
        "joue lit achète va fait parle le la les un une des du est sont et ne pas plus aime adore "
        "préfère déteste habite vit travaille utilise maintenant désormais chez à au aux dans "
        "pour avec son sa ses que qui très toujours beaucoup boit mange jamais trouve sur elle il "
        "a emménagé déménagé rejoint installée installé employée employé embauchée embauché veut "
        "habitent "
        "contente content marre sont cette ces"
    ),
    "pt": word_set(
        "joga lê compra vai faz fala o a os as um uma é está são e não já gosta adora prefere "
        "odeia mora vive trabalha usa utiliza tem agora em no na com para do da seu sua que muito "
        "sempre mais chama bebe come nunca ao à acha mudou se confia perdeu novo nova médico quer "
        "vota votou deixou"
    ),
    "it": word_set(
        "gioca legge compra va fa parla il lo la gli le un una è sono e non più piace ama "
        "preferisce odia vive abita lavora usa utilizza ha ora adesso a con per del della dei suo "
        "sua che molto sempre anche beve mangia mai al alla nel nella si di trova trasferito "
        "trasferita stabilita stabilito assunta assunto da dal"
    ),
    "nl": word_set(
        "speelt leest koopt gaat doet spreekt de het een is zijn en niet geen meer houdt haat "
        "liever graag woont leeft werkt gebruikt heeft nu in op met voor van dan bij naar vindt "
        "heel altijd drinkt eet nooit ook dol beter heet verhuisd draait wil vertrouwt nieuwe "
        "gaan wonen aangenomen"
    ),
}
"""Words that facts are mostly made of, a set for each language."""
SMALL = {
    "it": word_set(
        "il lo la i gli le un uno una di a da in con su per tra fra e è ed o che non del della "
        "dello dei degli delle al alla nel nella dal dalla sul sulla si ci mi ti suo sua suoi sue "
        "mio mia sono ha hanno"
    ),
    "nl": word_set(
        "de het een en of van in op te met voor aan bij is zijn was heeft hebben wordt dat die "
        "dit deze hij zij ze ik wij we er om als ook naar uit door"
    ),
}
"""Words that are no topic, for the languages that have no such list elsewhere."""
