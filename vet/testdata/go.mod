module example.com/app

go 1.26.0

replace github.com/segue-go/segue => ../../

require github.com/segue-go/segue v0.0.0
