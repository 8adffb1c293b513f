// Package syntax defines the grammar of the query language, and parses and prints
// statements. [Parse] turns text into a tree or an *api.ParseError with the line, the
// column, the expected and the found text; String of a tree returns text that parses to the
// same tree. Begin with the grammar below, then parse.go and ast.go.
//
// The package does not depend on a store: query/plan gives a tree its meaning. It is
// internal to query. Trees are read-only after parsing; a [Splitter], which cuts a script
// into statements, serves one goroutine.
//
// The notation is that of the Go specification. Words in quotes are keywords, in any case.
// A name is a bare or "quoted" identifier.
//
//	script     = { [ statement ] ";" } [ statement ] .
//	statement  = explain | query | compare | sources | ledger | insert | update | delete
//	           | erase | show | create | createGroups | drop | "CHECK" | "COMPACT" .
//	explain    = "EXPLAIN" ( [ "ANALYZE" ] query | erase | "DROP" "COLLECTION" name "ERASE" ) .
//	query      = similar | related | pairs | clusters | select | duplicates | groups | groupRows .
//	similar    = "SIMILAR" "TO" target [ nearest ] [ in ] [ using ] [ ignoring ] [ where ]
//	             [ "RETURNING" fields ] [ order ] [ limit ] .
//	related    = "RELATED" "TO" target [ in ] [ "WITH" "(" bound { "," bound } ")" ]
//	             [ ignoring ] [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
//	bound      = ( "copy" | "version" | "contains" | "part_of" | "passages" | "topic" | "words" )
//	             "=" ( value | "ON" | "OFF" ) .
//	pairs      = ( "SIMILAR" "PAIRS" | "DUPLICATES" ) [ nearest [ "MUTUAL" ] ]
//	             [ in ] [ "AGAINST" names ] [ since ] [ using ] [ ignoring ] [ where ]
//	             [ "DIRECTED" ] [ "RETURNING" fields ] [ order ] [ limit ] .
//	nearest    = "NEAREST" count [ "WITH" "TIES" ] .
//	clusters   = "CLUSTERS" [ in ] [ since ] [ using ] [ ignoring ] [ where ]
//	             [ "RETURNING" fields ] [ group ] [ "HAVING" pred ] [ order ] [ limit ] .
//	since      = "SINCE" text .
//	select     = "SELECT" [ "DISTINCT" ] fields "FROM" ( names | "si_view" [ in ] ) [ where ]
//	             [ group [ "HAVING" pred ] ] [ order ] [ limit ] .
//	group      = "GROUP" "BY" field { "," field } .
//	duplicates = "SELECT" "DUPLICATES" "FROM" names [ using ] [ ignoring ] [ where ] [ keep ] [ order ] [ limit ]
//	           | "DELETE" "DUPLICATES" "FROM" names [ using ] [ ignoring ] where [ keep ] .
//	keep       = "KEEP" ( "FIRST" | "NEWEST" | "LONGEST" | "SHORTEST" "ID" ) .
//	groups     = "GROUPS" name [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
//	groupRows  = "GROUP" ( "OF" id | count ) "IN" name [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
//	compare    = "COMPARE" target "WITH" target [ in ]
//	             [ "USING" ( "ALL" | method { "," method } ) ] [ ignoring ]
//	             [ "SHOW" ( "PASSAGES" | "SENTENCES" ) ] .
//	sources    = "SOURCES" "OF" target [ in ] [ using ] [ ignoring ] [ "SHOW" "PASSAGES" ] [ "LIMIT" count ] .
//	ledger     = "LEDGER" [ "OF" id ] [ in ] [ "SINCE" ( text | "TIME" string ) ] [ "LIMIT" count ] .
//	insert     = "INSERT" "INTO" name "(" name { "," name } ")"
//	             "VALUES" row { "," row } [ unless ] .
//	unless     = "UNLESS" "SIMILAR" [ using ] [ term ] .
//	row        = "(" stored { "," stored } ")" .
//	stored     = value | "(" [ value { "," value } ] ")" .
//	update     = "UPDATE" names "SET" assignment { "," assignment } where .
//	assignment = name "=" stored .
//	delete     = "DELETE" "FROM" names where [ "ERASE" ] .
//	erase      = "ERASE" id { "," id } [ in ] .
//	show       = "SHOW" ( "COLLECTIONS" | "MARK" | "STATS" | "SETTINGS" [ in ] | "FIELDS" [ in ] | "GROUPS" ) .
//	create     = "CREATE" "COLLECTION" name [ "WITH" "(" setting { "," setting } ")" ] .
//	setting    = name "=" ( value | "ON" | "OFF" ) .
//	createGroups = "CREATE" "GROUPS" name "ON" name [ using ] where [ "STARS" | "CONNECTED" ] [ keep ] .
//	drop       = "DROP" ( "COLLECTION" name [ "ERASE" ] | "GROUPS" name ) .
//
//	target     = id [ "OF" name ] | "FILE" text | "TEXT" text | "FINGERPRINT" text .
//	id         = name | integer | text .
//	text       = string | param .
//	in         = "IN" names .
//	names      = name { "," name } .
//	using      = "USING" method .
//	method     = name [ "(" [ arg { "," arg } ] ")" ] .
//	arg        = name "=" ( string | name | integer ) | string .
//	ignoring   = "IGNORING" ignored { "," ignored } .
//	ignored    = name | "MORE" "THAN" count "DOCUMENTS" .
//	where      = "WHERE" pred .
//	fields     = "*" | shown { "," shown } .
//	shown      = column | aggregate .
//	aggregate  = "count" "(" "*" ")" | ( "sum" | "avg" | "min" | "max" ) "(" column ")" .
//	column     = field | similarity .
//	field      = name { "." name } | groupCall .
//	groupCall  = ( "group" | "keeper" ) "(" name ")" .
//	order      = "ORDER" "BY" key { "," key } .
//	key        = shown [ "ASC" | "DESC" ] .
//	limit      = "LIMIT" count [ "OFFSET" count ] | "OFFSET" count .
//	count      = integer | param .
//
//	pred       = conj { "OR" conj } .
//	conj       = term { "AND" term } .
//	term       = "NOT" term | "(" pred ")" | test .
//	test       = operand ( op operand [ "OF" "BEST" ]
//	           | [ "NOT" ] "BETWEEN" operand "AND" operand
//	           | [ "NOT" ] "IN" "(" operand { "," operand } ")"
//	           | [ "NOT" ] ( "LIKE" | "GLOB" ) operand
//	           | [ "NOT" ] "HAS" operand
//	           | "IS" [ "NOT" ] "NULL" )
//	           | "si" "WITHIN" value
//	           | "isSimilar" "(" "simhash" "," probe [ "," value ] ")" .
//	op         = "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" .
//	operand    = field | value | similarity | aggregate .
//	similarity = "similarity" "(" ( target [ using ] | "simhash" "," probe ) ")" .
//	probe      = target | "[" target "]" .
//	value      = number | string | param | "TIME" string
//	           | "TRUE" | "FALSE" | "NULL" .
//
//	number     = [ "-" ] decimal [ exponent ] [ "%" ] | integer "/" integer .
//	string     = "'" { any | "''" } "'" | "$$" { any } "$$" .
//	param      = "?" | "$" integer | ":" name .
//
// In similar, related, pairs and clusters IGNORING may also precede "using" or follow "where".
// api.AllSettings lists the names of settings.
//
// Comments run from -- to the end of the line, or from /* to */. A statement
// holds at most 1 MB. NOT and parentheses nest at most 64 deep, because the
// parser is recursive, and a program cannot recover from a stack overflow.
package syntax
