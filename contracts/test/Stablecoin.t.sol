// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StablecoinFixture} from "./support/StablecoinFixture.sol";
import {vm} from "./support/Vm.sol";

contract StablecoinTest is StablecoinFixture {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Mint(address indexed minter, address indexed to, uint256 amount);
    event Burn(address indexed burner, uint256 amount);

    function test_saysWhatTheRealTokenSays() public view {
        vm.assertEq(token.name(), "USDC", "name");
        vm.assertEq(token.symbol(), "USDC", "symbol");
        vm.assertEq(token.currency(), "USD", "currency");
        vm.assertEq(token.version(), "2", "version");
        vm.assertEq(token.decimals(), 6, "decimals");
        vm.assertEq(token.DOMAIN_SEPARATOR(), domainSeparator(), "domain");
        (, string memory name, string memory version, uint256 chain, address verifier,,) = token.eip712Domain();
        vm.assertEq(name, "USDC", "domain name");
        vm.assertEq(version, "2", "domain version");
        vm.assertEq(chain, block.chainid, "domain chain");
        vm.assertEq(verifier, address(token), "domain contract");
    }

    /// Constants of the deployed tokens, so that a client which carries them finds the same here.
    function test_typeHashesAreThoseOfTheStandards() public view {
        vm.assertEq(
            token.TRANSFER_WITH_AUTHORIZATION_TYPEHASH(),
            0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267,
            "transfer"
        );
        vm.assertEq(
            token.RECEIVE_WITH_AUTHORIZATION_TYPEHASH(),
            0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8,
            "receive"
        );
        vm.assertEq(
            token.CANCEL_AUTHORIZATION_TYPEHASH(),
            0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429,
            "cancel"
        );
        vm.assertEq(
            token.PERMIT_TYPEHASH(), 0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9, "permit"
        );
    }

    function test_domainFollowsTheChain() public {
        bytes32 before = token.DOMAIN_SEPARATOR();
        vm.chainId(5_042_002);
        vm.assertTrue(token.DOMAIN_SEPARATOR() != before, "another chain");
        vm.assertEq(token.DOMAIN_SEPARATOR(), domainSeparator(), "by definition");
    }

    function test_mints() public {
        vm.expectEmit(address(token));
        emit Mint(MINTER, ALICE, 5);
        vm.expectEmit(address(token));
        emit Transfer(address(0), ALICE, 5);
        mintTo(ALICE, 5);
        vm.assertEq(token.balanceOf(ALICE), 5, "balance");
        vm.assertEq(token.totalSupply(), 5, "supply");
        vm.assertEq(token.minterAllowance(MINTER), uint256(type(uint128).max) - 5, "allowance counts down");
    }

    function test_mintRefuses() public {
        vm.prank(STRANGER);
        vm.expectRevert("FiatToken: caller is not a minter");
        token.mint(ALICE, 1);
        vm.prank(ADMINISTRATOR);
        token.configureMinter(MINTER, 10);
        refuseMint(address(0), 1, "FiatToken: mint to the zero address");
        refuseMint(ALICE, 0, "FiatToken: mint amount not greater than 0");
        refuseMint(ALICE, 11, "FiatToken: mint amount exceeds minterAllowance");
        refuseMint(address(token), 1, BLOCKED);
        blockAccount(MINTER);
        refuseMint(ALICE, 1, BLOCKED);
        pauseToken();
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(MINTER);
        refuseMint(ALICE, 1, PAUSED);
    }

    function refuseMint(address to, uint256 amount, bytes memory reason) private {
        vm.prank(MINTER);
        vm.expectRevert(reason);
        token.mint(to, amount);
    }

    function test_burns() public {
        mintTo(MINTER, 9);
        vm.expectEmit(address(token));
        emit Burn(MINTER, 4);
        vm.expectEmit(address(token));
        emit Transfer(MINTER, address(0), 4);
        vm.prank(MINTER);
        token.burn(4);
        vm.assertEq(token.totalSupply(), 5, "supply");
    }

    function test_burnRefuses() public {
        mintTo(MINTER, 9);
        vm.prank(STRANGER);
        vm.expectRevert("FiatToken: caller is not a minter");
        token.burn(1);
        refuseBurn(0, "FiatToken: burn amount not greater than 0");
        refuseBurn(10, "FiatToken: burn amount exceeds balance");
        blockAccount(MINTER);
        refuseBurn(1, BLOCKED);
    }

    function refuseBurn(uint256 amount, bytes memory reason) private {
        vm.prank(MINTER);
        vm.expectRevert(reason);
        token.burn(amount);
    }

    function testFuzz_transfers(uint128 minted, uint128 sent) public {
        uint256 amount = uint256(minted) + 1;
        mintTo(ALICE, amount > type(uint128).max ? type(uint128).max : amount);
        uint256 balance = token.balanceOf(ALICE);
        if (sent > balance) vm.expectRevert("ERC20: transfer amount exceeds balance");
        vm.prank(ALICE);
        token.transfer(BOB, sent);
        uint256 moved = sent > balance ? 0 : sent;
        vm.assertEq(token.balanceOf(ALICE), balance - moved, "payer");
        vm.assertEq(token.balanceOf(BOB), moved, "payee");
        vm.assertEq(token.totalSupply(), balance, "supply");
    }

    function test_transferToOneself() public {
        mintTo(ALICE, 7);
        vm.prank(ALICE);
        token.transfer(ALICE, 7);
        vm.assertEq(token.balanceOf(ALICE), 7, "unchanged");
    }

    function test_transferRefusesTheZeroAddressAndTheTokenItself() public {
        mintTo(ALICE, 7);
        vm.prank(ALICE);
        vm.expectRevert("ERC20: transfer to the zero address");
        token.transfer(address(0), 1);
        vm.prank(ALICE);
        vm.expectRevert(BLOCKED);
        token.transfer(address(token), 1);
    }

    function testFuzz_transferFromCountsTheAllowanceDown(uint128 allowed, uint128 sent) public {
        mintTo(ALICE, type(uint128).max);
        vm.prank(ALICE);
        token.approve(BOB, allowed);
        if (sent > allowed) vm.expectRevert("ERC20: transfer amount exceeds allowance");
        vm.prank(BOB);
        token.transferFrom(ALICE, CAROL, sent);
        uint256 moved = sent > allowed ? 0 : sent;
        vm.assertEq(token.balanceOf(CAROL), moved, "payee");
        vm.assertEq(token.allowance(ALICE, BOB), allowed - moved, "allowance");
    }

    function test_theLargestAllowanceIsCountedDownToo() public {
        mintTo(ALICE, 5);
        vm.prank(ALICE);
        token.approve(BOB, type(uint256).max);
        vm.prank(BOB);
        token.transferFrom(ALICE, CAROL, 5);
        vm.assertEq(token.allowance(ALICE, BOB), type(uint256).max - 5, "allowance");
    }

    function test_changesAllowances() public {
        vm.prank(ALICE);
        vm.expectEmit(address(token));
        emit Approval(ALICE, BOB, 10);
        token.approve(BOB, 10);
        vm.prank(ALICE);
        token.increaseAllowance(BOB, 5);
        vm.prank(ALICE);
        token.decreaseAllowance(BOB, 12);
        vm.assertEq(token.allowance(ALICE, BOB), 3, "allowance");
        vm.prank(ALICE);
        vm.expectRevert("ERC20: decreased allowance below zero");
        token.decreaseAllowance(BOB, 4);
        vm.prank(ALICE);
        vm.expectRevert("ERC20: approve to the zero address");
        token.approve(address(0), 1);
        vm.prank(ALICE);
        vm.expectRevert();
        token.increaseAllowance(BOB, type(uint256).max);
    }
}
