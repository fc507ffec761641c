"""The words of the shape rules of `judging.judges.markup` and `judging.judges.delimiters`, as text to split.

SPEAKERS: who speaks in a chat (system, user, assistant, human), in about forty languages; capitals, accents
and look-alike letters make no difference.
CONTROLS: what names in square or curly brackets say in chat formats. In capitals any counts, these always.
LINE_SPEAKERS: who else speaks at the beginning of a line.
MORE_CONTROLS: names of chat formats that are ordinary words in most brackets. They tell a mark from
an average in angles of mathematics, from an index behind a name and from a shift of bits.
CHANNELS: what a speaker's name is qualified with, in formats that keep thoughts and answers apart.
ROUNDS: what is counted in transcripts, before or after a number in square brackets.
BARRED: further names between single bars.
GRADED: labels of graders' prompts, alone in square brackets at the beginning of a line.
PLAIN: names that stay in brackets, because answers are full of them and no model we know separates turns by
them: elements of HTML, types and headers of programs, placeholders, levels of a log.
"""

SPEAKERS = """
system user assistant human bot chatbot developer gpt chatgpt
GPT4_Correct_User GPT4_Correct_Assistant GPT4_Correct_System
System Benutzer Benutzerin Nutzer Nutzerin Anwender Assistent Assistentin Mensch
système utilisateur utilisatrice assistante humain humaine
sistema usuario usuaria asistente humano humana usuário utilizador assistente
utente umano umana assistent utilisator
systeem gebruiker assistent mens
system användare assistent människa bruger bruker menneske käyttäjä järjestelmä avustaja ihminen
kerfi notandi aðstoðarmaður maður
система пользователь ассистент помощник человек користувач помічник асистент людина
карыстальнік памочнік сістэма чалавек
системa потребител асистент човек корисник помоћник корисник систем човек
system użytkownik użytkowniczka asystent asystentka człowiek
systém uživatel uživatelka asistent asistentka člověk používateľ človek
rendszer felhasználó asszisztens ember
sistem utilizator asistent uman
sustav korisnik pomoćnik čovjek uporabnik pomočnik
sistema vartotojas asistentas žmogus sistēma lietotājs asistents cilvēks süsteem kasutaja inimene
σύστημα χρήστης βοηθός άνθρωπος
sistem kullanıcı asistan yardımcı insan istifadəçi köməkçi
система пайдаланушы көмекші адам foydalanuvchi yordamchi tizim
النظام نظام المستخدم مستخدم المساعد مساعد إنسان الإنسان بشر
سیستم کاربر دستیار انسان نظام صارف معاون
מערכת משתמש עוזר אדם
सिस्टम प्रणाली उपयोगकर्ता प्रयोक्ता यूज़र सहायक असिस्टेंट मानव इंसान वापरकर्ता मदतनीस
সিস্টেম ব্যবহারকারী সহকারী মানুষ
கணினி பயனர் உதவியாளர் மனிதன் సిస్టమ్ వినియోగదారు సహాయకుడు మానవుడు
ระบบ ผู้ใช้ ผู้ช่วย มนุษย์
hệ_thống người_dùng trợ_lý con_người
sistem pengguna asisten manusia pembantu mtumiaji msaidizi mfumo binadamu gumagamit katulong
系统 系統 用户 用戶 使用者 助手 助理 人类 人類 机器人
システム ユーザー ユーザ アシスタント 人間
시스템 사용자 유저 어시스턴트 도우미 인간
სისტემა მომხმარებელი ასისტენტი ადამიანი համակարգ օգտատեր օգնական մարդ
"""

CONTROLS = """
ai inst instruction instructions sys cls sep mask gmask smask pad unk bos eos sop eop eod eot eom eoh eoa nl
img image audio video think thought args prefix middle suffix tool tools role message prompt turn start begin
end stop unused reserved special header transcribe
"""

LINE_SPEAKERS = "tool model"
# Compared to the letter: "Al" and "A1" are not meant.
SHORT_SPEAKERS = "ai ki"

MORE_CONTROLS = """
answer box call citations co dblock documents enc eoc eor eoss filename filepath fill fragments function
functions imgpad mid point pre predict quad ref reponame settings slice streaming suf thinking toolcall
transcribe work
"""

CHANNELS = "final commentary"

ROUNDS = """
round dialogue dialog conversation exchange session runde dialogrunde gespräch tour échange ronda turno rodada
раунд ход ラウンド ターン 라운드 轮 輪 轮次 回合 对话 對話
"""

BARRED = "speaker newline prompter endofprompt endoftext endofturn startofturn break response reply"

GRADED = """
question answer response submission expert reference rubric criterion criteria score result grade rating
feedback verdict judge evaluation grader
"""

PLAIN = """
a abbr address article aside b big blockquote body br button caption center cite col colgroup dd del details
div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe ins
kbd label legend li link main mark math menu meta meter nav noscript ol optgroup option output p path param
picture progress q rect ruby samp script section select small span strike strong style sub summary sup
svg table tbody td textarea tfoot th thead time title tr tt u ul var circle line text g any array arraylist
auto bigint bool boolean byte char chr complex container date decimal deque dict double elem exception f32
f64 float hashmap hashset i8 i16 i32 i64 int int8 int16 int32 int64 integer iterator list long map
never node number object optional pair queue record result self set short size_t ssize_t stack str string
tree tuple type u8 u16 u32 u64 uint uint8 uint16 uint32 uint64 uint8_t uint16_t uint32_t uint64_t uuid unit
usize value variant vec vector void algorithm bitset chrono climits cmath cstdio cstdlib cstring ctime
fstream functional iomanip iostream limits memory mutex numeric random regex sstream stdexcept thread utility
age author book branch catalog city class command country currency day dest destination dir directory
employee entry expr expression factor fields file first firstname from group heading hostname id identifier
item items key keyword last lastname letter library message month movie name names note noun op op1 op2 order
person phone port price product quantity recipe ingredient step root row rows schema sentence source
statement street student subject term to target town url username variable verb version word words year zip
digit digits info warn warning error debug trace fatal todo fixme ok fail failed pass passed sic new done nan
null none nil true false red green blue quote code color size chorus verse bridge laughs music applause
each if unless with
"""
